public import Foundation
public import VarveCore

extension Messages {
  /// Reads texts from JSON: by locale, then by key.
  ///
  /// Objects nest as you like; their names, joined by dots, are the keys. So these are the same:
  ///
  /// ```json
  /// {"en": {"hat": {"errors": {"too_low": "is too small"}}}}
  /// {"en": {"hat.errors.too_low": "is too small"}}
  /// ```
  ///
  /// - Parameters:
  ///   - data: the document, in UTF-8.
  ///   - locale: the locale of all texts, of a document that names none; nil where the outermost
  ///     names are the locales.
  /// - Throws: ``VarveError`` with code `invalidJSON` where it is no JSON, `invalidArgument` where
  ///   something else than a text stands in it, or one key stands twice.
  public init(json data: Data, locale: String? = nil) throws {
    try self.init(json: data, locale: locale, named: nil)
  }

  /// Reads texts from a file of JSON. See ``init(json:locale:)``.
  ///
  /// ```swift
  /// let messages = try Messages.standard.merging(
  ///   Messages(contentsOf: folder.appending(path: "messages.json")),
  ///   Messages(contentsOf: folder.appending(path: "es.json"), locale: "es"))
  /// ```
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - locale: the locale of all texts, of a file that names none. The file's own name says
  ///     nothing.
  /// - Throws: what ``init(json:locale:)`` throws; ``VarveError`` with code `notFound` where there is
  ///   no such file, or `inputOutput` where it cannot be read.
  public init(contentsOf url: URL, locale: String? = nil) throws {
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      throw FileManager.default.fileExists(atPath: url.path)
        ? VarveError(.inputOutput, "a file of messages cannot be read: \(error)", at: url.path)
        : VarveError(
          .notFound,
          "there is no such file of messages",
          at: url.path,
          remedy: "Check the path."
        )
    }
    try self.init(json: data, locale: locale, named: url.path)
  }

  /// Takes texts from dictionaries in dictionaries, as whatever format they were read from: by
  /// locale, then by key, as in ``init(json:locale:)``.
  ///
  /// - Parameters:
  ///   - tree: a dictionary; what is in it, dictionaries and strings.
  ///   - locale: the locale of all texts, where the tree names none.
  ///   - place: the name of what was read, for errors.
  /// - Throws: ``VarveError`` with code `invalidArgument` where something else stands in it, or one
  ///   key stands twice.
  public init(tree: Value, locale: String? = nil, at place: String? = nil) throws {
    let texts = try MessageTree(place: place).texts(in: tree, locale: locale)
    self.init(texts)
  }

  private init(json data: Data, locale: String?, named place: String?) throws {
    let tree: Value
    do {
      tree = try JSONDecoder().decode(MessageNode.self, from: data).tree
    } catch {
      throw VarveError(
        .invalidJSON,
        "messages are not JSON: \((error as? DecodingError)?.reason ?? "\(error)")",
        at: place,
        remedy: #"Write {"en": {"hat.errors.too_low": "is too small"}}, in UTF-8."#
      )
    }
    try self.init(tree: tree, locale: locale, at: place)
  }
}

/// JSON as a value. What is neither an object nor a text becomes an array, so that whoever walks the
/// tree can say where it stands.
private struct MessageNode: Decodable {
  let tree: Value

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      tree = .string(text)
    } else if let object = try? container.decode([String: MessageNode].self) {
      tree = .dictionary(
        Dictionary(object.map { (PropertyKey($0.key), $0.value.tree) }) { $1 }
      )
    } else {
      tree = []
    }
  }
}

extension DecodingError {
  /// What is wrong, without where the decoder was.
  fileprivate var reason: String {
    switch self {
    case .dataCorrupted(let context):
      (context.underlyingError as? CocoaError)?.userInfo[NSDebugDescriptionErrorKey] as? String
        ?? context.debugDescription
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context):
      context.debugDescription
    @unknown default: "\(self)"
    }
  }
}

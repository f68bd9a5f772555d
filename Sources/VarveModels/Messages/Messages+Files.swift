public import Foundation
public import VarveCore

extension Messages {
  /// Reads texts from JSON, by locale and then by key.
  ///
  /// Objects may be nested; their names, joined by dots, are the keys. These documents are
  /// equivalent:
  ///
  /// ```json
  /// {"en": {"hat": {"errors": {"too_low": "is too small"}}}}
  /// {"en": {"hat.errors.too_low": "is too small"}}
  /// ```
  ///
  /// - Parameters:
  ///   - data: the document in UTF-8.
  ///   - locale: the locale of all texts, for a document without locales; nil if the outermost
  ///     names are the locales.
  /// - Throws: ``VarveError`` with code `invalidJSON` if the data is not JSON, `invalidArgument` if
  ///   it contains anything but texts, or a key twice.
  public init(json data: Data, locale: String? = nil) throws {
    try self.init(json: data, locale: locale, named: nil)
  }

  /// Reads texts from a JSON file. See ``init(json:locale:)``.
  ///
  /// ```swift
  /// let messages = try Messages.standard.merging(
  ///   Messages(contentsOf: folder.appending(path: "messages.json")),
  ///   Messages(contentsOf: folder.appending(path: "es.json"), locale: "es"))
  /// ```
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - locale: the locale of all texts, for a file without locales. The name of the file has no
  ///     meaning.
  /// - Throws: the errors of ``init(json:locale:)``; ``VarveError`` with code `notFound` if there
  ///   is no such file, or `inputOutput` if it cannot be read.
  public init(contentsOf url: URL, locale: String? = nil) throws {
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      throw FileManager.default.fileExists(atPath: url.path)
        ? VarveError(.inputOutput, "a file of messages cannot be read: \(error)", at: url.path)
        : VarveError(
          .notFound,
          "there is no such message file",
          at: url.path,
          remedy: "Check the path."
        )
    }
    try self.init(json: data, locale: locale, named: url.path)
  }

  /// Creates texts from nested dictionaries, read from any format: by locale and then by key, as in
  /// ``init(json:locale:)``.
  ///
  /// - Parameters:
  ///   - tree: a dictionary of dictionaries and strings.
  ///   - locale: the locale of all texts, for a tree without locales.
  ///   - place: the name of the source, for errors.
  /// - Throws: ``VarveError`` with code `invalidArgument` if the tree contains anything but texts,
  ///   or a key twice.
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

/// JSON as a value. Anything but an object or a string becomes an array, so that the error can
/// state its place.
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
  /// The reason of the error, without the decoder's path.
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

#if YAML
public import Foundation
import VarveCore
import VarveJSON
public import VarveStore

extension Messages {
  /// Reads texts from YAML: by locale, then by key, at any nesting. See
  /// `Messages.init(json:locale:)`.
  ///
  /// ```yaml
  /// en:
  ///   hat.errors:
  ///     too_low: is too small
  /// ```
  ///
  /// - Parameters:
  ///   - text: the document.
  ///   - locale: the locale of all texts, for a document that names none; nil if the outermost
  ///     names are the locales.
  ///   - place: the name of the source, for errors.
  /// - Throws: `VarveError` with code `invalidYAML` if the text is not YAML, `invalidArgument` if
  ///   it contains anything but texts, or a key occurs twice.
  public init(yaml text: String, locale: String? = nil, at place: String? = nil) throws {
    let document: YAMLDocument
    do {
      document = try YAMLDocument(text)
    } catch let error as VarveError {
      let places = [place, error.place].compactMap(\.self)
      throw error.located(at: places.joined(separator: ", "))
    }
    try self.init(tree: document.json.messageTree, locale: locale, at: place)
  }

  /// Reads texts from a YAML file, or from a JSON file if its name ends in `.json`.
  ///
  /// - Throws: what ``init(yaml:locale:at:)`` throws; `VarveError` with code `notFound` or
  ///   `inputOutput` if the file cannot be read.
  public init(fileOfTexts url: URL, locale: String? = nil) throws {
    guard ["yaml", "yml"].contains(url.pathExtension.lowercased()) else {
      try self.init(contentsOf: url, locale: locale)
      return
    }
    let text: String
    do {
      text = try String(contentsOf: url, encoding: .utf8)
    } catch {
      let isThere = FileManager.default.fileExists(atPath: url.path)
      throw VarveError(
        isThere ? .inputOutput : .notFound,
        "a file of messages cannot be read: \(error.localizedDescription)",
        at: url.path,
        remedy: "Check the path, and that it is UTF-8."
      )
    }
    try self.init(yaml: text, locale: locale, at: url.path)
  }
}

extension JSON {
  /// Objects as dictionaries. Anything but text becomes an empty array, which is then rejected with
  /// its key.
  fileprivate var messageTree: VarveCore.Value {
    switch self {
    case .object(let members):
      .dictionary(
        Dictionary(members.map { (PropertyKey($0.name), $0.value.messageTree) }) { $1 }
      )
    case .string(let text): .string(text)
    default: []
    }
  }
}
#endif

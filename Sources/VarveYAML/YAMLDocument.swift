#if YAML
import VarveCore
public import VarveJSON

/// A YAML document as a JSON value, with the places of its parts.
///
/// ```swift
/// let document = try YAMLDocument("id: isbn\nattributes: {isbn: isbn}")
/// print(document.json["id"] ?? .null)  // isbn
/// ```
///
/// Plain scalars follow the core schema of YAML 1.2: `true` and `null` are literals; `yes`, `no`,
/// `on` and dates are texts. Names of members are always texts. Aliases are expanded, up to
/// ``maximumValueCount`` values in all; merge keys (`<<`) are ordinary names. What JSON cannot
/// represent is an error: other tags, `.nan`, `.inf`, integers beyond 64 bits, lists and objects as
/// names, duplicate names in an object.
public struct YAMLDocument: Sendable {
  /// The document as JSON.
  public let json: JSON
  /// The places of its parts, by JSON pointer.
  private let places: [String: YAMLPlace]

  /// The maximum number of values in a document, with aliases expanded.
  public static let maximumValueCount = 100_000
  /// The maximum nesting.
  public static let maximumDepth = 256

  /// Reads a text that contains one document.
  ///
  /// - Throws: `VarveError` with code `invalidYAML` and the place, as line and column.
  public init(_ text: String) throws {
    var reading = YAMLReading()
    json = try reading.read(text)
    places = reading.places
  }

  /// Returns the position of a part of the document, or of the nearest part around it:
  /// `line 3, column 5`.
  ///
  /// - Parameter pointer: a JSON pointer (RFC 6901).
  public func place(of pointer: String) -> String {
    var way = pointer == "/" ? "" : pointer
    while places[way] == nil, let slash = way.lastIndex(of: "/") { way = String(way[..<slash]) }
    return (places[way] ?? YAMLPlace(line: 1, column: 1)).text
  }
}

/// A place in a text; lines and columns count from 1.
struct YAMLPlace: Sendable {
  let line: Int
  let column: Int

  var text: String { "line \(line), column \(column)" }

  func failure(_ message: String, remedy: String? = nil) -> VarveError {
    VarveError(.invalidYAML, message, at: text, remedy: remedy)
  }
}
#endif

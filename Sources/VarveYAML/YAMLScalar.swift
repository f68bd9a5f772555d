#if YAML
import VarveCore
import VarveJSON
import Yams

/// The value of a scalar in the core schema of YAML 1.2.
struct YAMLScalar {
  let json: JSON

  init(_ text: String, _ scalar: Node.Scalar, _ place: YAMLPlace) throws {
    switch scalar.tag.called {
    case .implicit: json = scalar.style == .plain ? try Self.plain(text, place) : .string(text)
    case .nonSpecific, .str: json = .string(text)
    case .null, .bool, .int, .float:
      json = try Self.plain(text, place)
      guard Self.tags(of: json).contains(scalar.tag.called) else {
        throw place.failure("\"\(text)\" is not of the kind of its tag")
      }
    default: throw place.failure("the tag \(scalar.tag.called.rawValue) has no meaning in JSON")
    }
  }

  private static func tags(of json: JSON) -> [Tag.Name] {
    switch json {
    case .null: [.null]
    case .bool: [.bool]
    case .integer: [.int, .float]
    case .fraction: [.float]
    default: []
    }
  }

  /// Returns the value of a plain scalar without a tag.
  private static func plain(_ text: String, _ place: YAMLPlace) throws -> JSON {
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return true
    case "false", "False", "FALSE": return false
    default: break
    }
    guard let first = text.utf8.first, "+-.0123456789".utf8.contains(first) else {
      return .string(text)
    }
    if text.wholeMatch(of: /[-+]?[0-9]+/) != nil {
      return try integer(text, radix: 10, text, place)
    }
    if text.wholeMatch(of: /0o[0-7]+/) != nil {
      return try integer(String(text.dropFirst(2)), radix: 8, text, place)
    }
    if text.wholeMatch(of: /0x[0-9a-fA-F]+/) != nil {
      return try integer(String(text.dropFirst(2)), radix: 16, text, place)
    }
    if text.wholeMatch(of: /[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?/) != nil {
      guard let number = decimal(text), number.isFinite else {
        throw place.failure("\(text) is too large")
      }
      return .fraction(number)
    }
    if text.wholeMatch(of: /[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)/) != nil {
      throw place.failure("JSON has no number \(text)")
    }
    return .string(text)
  }

  private static func integer(
    _ digits: String,
    radix: Int,
    _ text: String,
    _ place: YAMLPlace
  ) throws -> JSON {
    if let value = Int64(digits, radix: radix) { return .integer(value) }
    throw place.failure("the integer \(text) does not fit 64 bits")
  }

  /// Parses a number that may begin or end with its point, which Swift does not accept.
  private static func decimal(_ text: String) -> Double? {
    var parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return Double(text) }
    if parts[0].allSatisfy({ "+-".contains($0) }) { parts[0] += "0" }
    if parts[1].first?.isNumber != true { parts[1] = "0" + parts[1] }
    return Double("\(parts[0]).\(parts[1])")
  }
}
#endif

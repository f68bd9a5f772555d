import Foundation
public import VarveCore

/// Values as JSON. A value that JSON can represent is written as it is. Any other value is tagged
/// by an object with one member: `date`, `data` (base64), `entity`, `double`, `array`,
/// `dictionary`.
extension Value {
  /// The value as JSON. Reading it again gives the same value, to the bit.
  public var json: JSON {
    switch self {
    case .bool(let value): .bool(value)
    case .int(let value): .integer(value)
    case .double(let value): Self.json(value)
    case .string(let value): .string(value)
    case .date(let value): ["date": Self.json(value)]
    case .data(let value): ["data": .string(value.base64EncodedString())]
    case .reference(let value): ["entity": .string(value.text)]
    case .array(let values): ["array": .array(values.map(\.json))]
    case .dictionary(let fields):
      [
        "dictionary": .object(
          fields.sorted { $0.key < $1.key }.map {
            JSON.Member(name: $0.key.text, value: $0.value.json)
          }
        )
      ]
    }
  }

  /// Returns a tagged double if it is a whole number, because many JSON parsers read `2.0` as an
  /// integer.
  private static func json(_ double: Double) -> JSON {
    guard double.isFinite else { return ["double": .string(nonFiniteName(double))] }
    return double == double.rounded() ? ["double": .fraction(double)] : .fraction(double)
  }

  private static func json(_ date: Date) -> JSON {
    if let text = DateWriter.exact(date) { return .string(text) }
    let interval = date.timeIntervalSinceReferenceDate
    return interval.isFinite ? .fraction(interval) : .string(nonFiniteName(interval))
  }

  private static func nonFiniteName(_ double: Double) -> String {
    double.isNaN ? "NaN" : (double < 0 ? "-Infinity" : "Infinity")
  }

  /// Creates the value of a JSON document.
  ///
  /// - Throws: ``VarveError`` with code `unsupportedValue` for null, for bare arrays and objects,
  ///   and for tags whose content does not match.
  public init(json: JSON) throws {
    switch json {
    case .null: throw Self.unsupported("null is not a value", json)
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .int(value)
    case .fraction(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .array: throw Self.unsupported("a bare array is not a value", json)
    case .object(let members):
      guard members.count == 1, let member = members.first else {
        throw Self.unsupported("a bare object is not a value", json)
      }
      try self.init(tag: member.name, json: member.value)
    }
  }

  private init(tag: String, json: JSON) throws {
    switch (tag, json) {
    case ("date", .string(let text)):
      guard let date = DateReader.read(text) ?? Self.nonFinite(text).map(Self.date) else {
        throw Self.unsupported("not a date", json, remedy: "Write dates as \(DateReader.forms).")
      }
      self = .date(date)
    case ("date", .fraction(let seconds)): self = .date(Self.date(seconds))
    case ("data", .string(let text)):
      guard let data = Data(base64Encoded: text) else {
        throw Self.unsupported("the text is not base64", json)
      }
      self = .data(data)
    case ("entity", .string(let text)): self = .reference(try EntityID(text))
    case ("double", .integer(let value)): self = .double(Double(value))
    case ("double", .fraction(let value)): self = .double(value)
    case ("double", .string(let text)):
      guard let value = Self.nonFinite(text) else { throw Self.unsupported("not a number", json) }
      self = .double(value)
    case ("array", .array(let elements)): self = .array(try elements.map(Value.init(json:)))
    case ("dictionary", .object(let members)):
      self = .dictionary(
        Dictionary(
          try members.map { (PropertyKey($0.name), try Value(json: $0.value)) },
          uniquingKeysWith: { _, last in last }
        )
      )
    default: throw Self.unsupported("\"\(tag)\" is not a tag for this value", json)
    }
  }

  private static func date(_ seconds: Double) -> Date {
    Date(timeIntervalSinceReferenceDate: seconds)
  }

  private static func nonFinite(_ text: String) -> Double? {
    switch text {
    case "NaN": .nan
    case "Infinity": .infinity
    case "-Infinity": -.infinity
    default: nil
    }
  }

  private static func unsupported(
    _ message: String,
    _ json: JSON,
    remedy: String = Value.taggedForms
  ) -> VarveError {
    let text = json.text
    let place = text.count > 60 ? text.prefix(59) + "…" : text
    return VarveError(.unsupportedValue, message, at: place, remedy: remedy)
  }

  private static let taggedForms =
    #"Tag it: {"array": […]}, {"dictionary": {…}}, {"date": "2018-12-08"}, {"data": BASE64}, "#
    + #"{"entity": ID} or {"double": 2}."#
}

extension StoredEntity.Property {
  /// The value as JSON. If the semantic type is not the name of its kind, it is included:
  /// `{"value": …, "type": "address"}`.
  public var json: JSON {
    semanticType == value.kind.name
      ? value.json : ["value": value.json, "type": .string(semanticType)]
  }

  /// Creates the property of a JSON document.
  ///
  /// - Throws: ``VarveError`` with code `unsupportedValue` or `invalidIdentifier`.
  public init(json: JSON) throws {
    guard Self.isTyped(json), let value = json["value"], case .string(let type)? = json["type"]
    else {
      self.init(try Value(json: json))
      return
    }
    self.init(try Value(json: value), semanticType: type)
  }

  /// Returns whether a JSON document has an explicit semantic type, even the name of the kind.
  package static func isTyped(_ json: JSON) -> Bool {
    guard case .object(let members) = json, members.count == 2, json["value"] != nil,
      case .string? = json["type"]
    else { return false }
    return true
  }
}

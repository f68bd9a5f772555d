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
  /// - Throws: `VarveError` with code `unsupportedValue` for null, for bare arrays and objects,
  ///   and for tags whose content does not match; its place is the path of the part that is no
  ///   value, or the document.
  public init(json: JSON) throws {
    do {
      self = try Part(json: json, path: []).value()
    } catch let misfit as Misfit {
      throw misfit.error.located(at: misfit.path.isEmpty ? json.excerpt : misfit.path.text)
    }
  }

  fileprivate static func date(_ seconds: Double) -> Date {
    Date(timeIntervalSinceReferenceDate: seconds)
  }

  fileprivate static func nonFinite(_ text: String) -> Double? {
    switch text {
    case "NaN": .nan
    case "Infinity": .infinity
    case "-Infinity": -.infinity
    default: nil
    }
  }
}

extension Part {
  /// Reads a value. An error has the path of the part that is no value.
  func value() throws -> Value {
    switch json {
    case .null: throw unsupported("null is not a value")
    case .bool(let value): return .bool(value)
    case .integer(let value): return .int(value)
    case .fraction(let value): return .double(value)
    case .string(let value): return .string(value)
    case .array: throw unsupported("a bare array is not a value")
    case .object(let members):
      guard members.count == 1, let member = try self.members().first else {
        throw unsupported("a bare object is not a value")
      }
      guard let value = try member.field.value(tagged: member.name) else {
        throw unsupported("\"\(member.name.prefix(40))\" is not a tag for this value")
      }
      return value
    }
  }

  /// Reads the content of a tag; nil if the tag is unknown, or has no such content.
  private func value(tagged tag: String) throws -> Value? {
    switch (tag, json) {
    case ("date", .string(let text)):
      guard let date = DateReader.read(text) ?? Value.nonFinite(text).map(Value.date) else {
        throw unsupported("not a date", remedy: "Write dates as \(DateReader.forms).")
      }
      return .date(date)
    case ("date", .fraction(let seconds)): return .date(Value.date(seconds))
    case ("data", .string(let text)):
      guard let data = Data(base64Encoded: text) else {
        throw unsupported("the text is not base64")
      }
      return .data(data)
    case ("entity", .string): return .reference(try id())
    case ("double", .integer(let value)): return .double(Double(value))
    case ("double", .fraction(let value)): return .double(value)
    case ("double", .string(let text)):
      guard let value = Value.nonFinite(text) else { throw unsupported("not a number") }
      return .double(value)
    case ("array", .array): return .array(try elements().map { try $0.value() })
    case ("dictionary", .object):
      let fields = try members().map { (PropertyKey($0.name), try $0.field.value()) }
      return .dictionary(Dictionary(fields, uniquingKeysWith: { _, last in last }))
    default: return nil
    }
  }

  /// Reads a property: a value, or `{"value": …, "type": …}`.
  func property() throws -> StoredEntity.Property {
    guard StoredEntity.Property.isTyped(json) else { return StoredEntity.Property(try value()) }
    var fields = try Fields(self, of: "a property")
    let (value, type) = (try fields.need("value"), try fields.need("type"))
    let text = try type.name()
    guard !text.isEmpty else {
      throw Misfit(
        VarveError(
          .invalidArgument,
          "a semantic type is empty",
          remedy: "Omit it; the name of the value's kind is used instead."
        ),
        at: type.path
      )
    }
    return StoredEntity.Property(try value.value(), semanticType: text)
  }

  private func unsupported(_ message: String, remedy: String = Part.taggedForms) -> Misfit {
    Misfit(VarveError(.unsupportedValue, message, remedy: remedy), at: path)
  }

  private static let taggedForms =
    #"Tag it: {"array": […]}, {"dictionary": {…}}, {"date": "2018-12-08"}, {"data": BASE64}, "#
    + #"{"entity": ID} or {"double": 2}."#
}

extension JSON {
  /// The beginning of the text, for errors.
  fileprivate var excerpt: String {
    let text = text
    return text.count > 60 ? text.prefix(59) + "…" : text
  }
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
  /// - Throws: `VarveError` with code `unsupportedValue`, `invalidIdentifier`, or
  ///   `invalidArgument` for an empty semantic type.
  public init(json: JSON) throws {
    try self.init(json: json, at: nil)
  }

  /// Creates the property of a JSON document; errors begin with its place.
  package init(json: JSON, at place: String?) throws {
    do {
      self = try Part(json: json, path: []).property()
    } catch let misfit as Misfit {
      let inner = misfit.path.isEmpty ? nil : misfit.path.text
      let places = [place, inner].compactMap(\.self)
      throw misfit.error.located(
        at: places.isEmpty ? json.excerpt : places.joined(separator: ", ")
      )
    }
  }

  /// Returns whether a JSON document has an explicit semantic type, even the name of the kind.
  package static func isTyped(_ json: JSON) -> Bool {
    guard case .object(let members) = json, members.count == 2, json["value"] != nil,
      case .string? = json["type"]
    else { return false }
    return true
  }
}

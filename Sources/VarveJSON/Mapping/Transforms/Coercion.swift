import Foundation
import VarveCore

extension Value {
  /// Returns an equivalent value of another kind: texts of numbers, truth values or dates are
  /// parsed, and whole fractions become integers. Nil if there is none.
  func coerced(to kind: Kind) -> Value? {
    if self.kind == kind { return self }
    switch (kind, self) {
    case (.string, _): return asText
    case (.int, .string(let text)): return Int64(text).map(Value.int)
    case (.int, .double(let value)): return Int64(exactly: value).map(Value.int)
    case (.int, .bool(let value)): return .int(value ? 1 : 0)
    case (.double, .string(let text)):
      return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
    case (.double, .int(let value)):
      return Double(exactly: value).map(Value.double)
    case (.bool, .string(let text)): return ["true": true, "false": false][text].map(Value.bool)
    case (.bool, .int(let value)) where value == 0 || value == 1: return .bool(value == 1)
    case (.date, .string(let text)): return DateReader.read(text).map(Value.date)
    case (.data, .string(let text)): return Data(base64Encoded: text).map(Value.data)
    case (.reference, .string(let text)): return (try? EntityID(text)).map(Value.reference)
    default: return nil
    }
  }

  /// A scalar as text.
  var asText: Value? {
    switch self {
    case .string: self
    case .int(let value): .string(String(value))
    case .double(let value): .string(value.description)
    case .bool(let value): .string(value ? "true" : "false")
    case .date(let date): DateWriter.exact(date).map(Value.string)
    case .reference(let id): .string(id.text)
    case .data, .array, .dictionary: nil
    }
  }
}

/// Values as in foreign documents: without tags.
extension Value {
  /// Converts plain JSON; nil for null, and for arrays and objects that contain one.
  init?(plain json: JSON) {
    switch json {
    case .null: return nil
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .int(value)
    case .fraction(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .array(let elements):
      var values: [Value] = []
      for element in elements {
        guard let value = Value(plain: element) else { return nil }
        values.append(value)
      }
      self = .array(values)
    case .object(let members):
      var fields: [PropertyKey: Value] = [:]
      for member in members {
        guard let value = Value(plain: member.value) else { return nil }
        fields[PropertyKey(member.name)] = value
      }
      self = .dictionary(fields)
    }
  }

  /// The value as plain JSON: dates in ISO 8601, data in base64, references as identifiers. Null
  /// for numbers that JSON cannot represent.
  var plainJSON: JSON {
    switch self {
    case .bool(let value): .bool(value)
    case .int(let value): .integer(value)
    case .double(let value): value.isFinite ? .fraction(value) : .null
    case .string(let value): .string(value)
    case .date(let value): .optional(DateWriter.exact(value))
    case .data(let value): .string(value.base64EncodedString())
    case .reference(let value): .string(value.text)
    case .array(let values): .array(values.map(\.plainJSON))
    case .dictionary(let fields):
      .object(
        fields.sorted { $0.key < $1.key }.map {
          JSON.Member(name: $0.key.text, value: $0.value.plainJSON)
        }
      )
    }
  }
}

extension Value.Kind {
  /// Creates the kind with a name.
  init?(named name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}

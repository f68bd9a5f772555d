import Foundation
import VarveCore

/// A value that can be bound to a statement.
enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension SQLValue {
  /// The value as an SQL expression.
  var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let value):
      "varve_ranked(\(SQLFragment.literal(Value.int(value).encoded)), NULL)"
    // The digits of a literal would be rounded.
    case .real(let value):
      "varve_ranked(\(SQLFragment.literal(Value.double(value).encoded)), NULL)"
    case .text(let text): "CAST(\(SQLFragment.literal(Array(text.utf8))) AS TEXT)"
    case .blob(let bytes): SQLFragment.literal(bytes)
    }
  }

  /// Converts an identifier: a canonical UUID to 16 bytes, any other to text.
  init(_ id: EntityID) {
    switch id.storage {
    case .uuid(let high, let low):
      var writer = ByteWriter(capacity: 16)
      writer.fixed(high)
      writer.fixed(low)
      self = .blob(writer.bytes)
    case .text(let text): self = .text(text)
    }
  }

  /// Converts a value to the form it has in a column of its kind.
  init(_ value: Value) {
    switch value {
    case .bool(let value): self = .integer(value ? 1 : 0)
    case .int(let value): self = .integer(value)
    case .double(let value): self = .real(value)
    case .string(let value): self = .text(value)
    case .date(let value): self = .real(value.timeIntervalSinceReferenceDate)
    case .data(let value): self = .blob(Array(value))
    case .reference(let value): self = SQLValue(value)
    case .array, .dictionary: self = .blob(value.encoded)
    }
  }
}

import Foundation

extension Field {
  /// Whether the field is interpreted as a decimal number.
  package var isDecimal: Bool {
    switch self {
    case .decimal: true
    case .joined(_, let inner): inner.isDecimal
    default: false
    }
  }

  /// The field as it is stored, without interpretation as a decimal number.
  package var stored: Field {
    switch self {
    case .decimal(let inner): inner.stored
    case .joined(let type, let inner): .joined(type, inner.stored)
    default: self
    }
  }

  /// The joined type that the field belongs to, or nil for the query's own type.
  package var joinedType: EntityType? {
    switch self {
    case .joined(let type, _): type
    case .decimal(let inner): inner.joinedType
    default: nil
    }
  }

  /// Returns the comparable form of a value: the value itself, or for a decimal field bytes that
  /// sort in numeric order. Returns nil if the value is not comparable with any value of the field.
  package func comparand(of value: Value) -> Value? {
    isDecimal ? value.decimalComparand : value
  }

  /// Returns the bytes by which SQL sorts a value of the field. They are empty if the value is
  /// missing, or if the field is decimal and the value is not a decimal number.
  package func orderBytes(of value: Value?) -> [UInt8] {
    (isDecimal ? value?.decimal?.orderKey : value?.sortKey) ?? []
  }
}

extension Value {
  /// The value's decimal number as bytes that sort in numeric order.
  package var decimalComparand: Value? { decimal.map { .data(Data($0.orderKey)) } }

  /// The value's decimal number as text, in the stored form.
  package var asDecimal: Value? { decimal.map { .string($0.text) } }
}

import Foundation

extension Field {
  /// Whether it is taken for a decimal number.
  package var isDecimal: Bool {
    switch self {
    case .decimal: true
    case .joined(_, let inner): inner.isDecimal
    default: false
    }
  }

  /// The field as it is stored, whatever it is taken for.
  package var stored: Field {
    switch self {
    case .decimal(let inner): inner.stored
    case .joined(let type, let inner): .joined(type, inner.stored)
    default: self
    }
  }

  /// The joined type it is a field of; nil for the query's own.
  package var joinedType: EntityType? {
    switch self {
    case .joined(let type, _): type
    case .decimal(let inner): inner.joinedType
    default: nil
    }
  }

  /// What is compared of a value that the field has, or is compared with: the value itself; of a decimal
  /// number, bytes that have its order. Nil where the value compares with nothing the field can have.
  package func comparand(of value: Value) -> Value? {
    isDecimal ? value.decimalComparand : value
  }

  /// The bytes by which SQL orders a value of the field: empty if it is missing, or if it is no decimal
  /// number and the field is taken for one.
  package func orderBytes(of value: Value?) -> [UInt8] {
    (isDecimal ? value?.decimal?.orderKey : value?.sortKey) ?? []
  }
}

extension Value {
  /// Bytes in the order of the decimal numbers that values say.
  package var decimalComparand: Value? { decimal.map { .data(Data($0.orderKey)) } }

  /// The decimal number it says, as the text that is stored of one.
  package var asDecimal: Value? { decimal.map { .string($0.text) } }
}

import Foundation

extension Field {
  /// Whether the field is interpreted as a decimal number.
  package var isDecimal: Bool {
    switch self {
    case .decimal: true
    case .joined(_, let inner), .folded(let inner), .inside(let inner, _), .ofRelated(let inner, _):
      inner.isDecimal
    case .aggregate(let aggregation, _):
      !aggregation.function.isCount && aggregation.field?.isDecimal == true
    default: false
    }
  }

  /// Whether the field's texts compare without regard to case.
  package var isFolded: Bool {
    switch self {
    case .folded: true
    case .joined(_, let inner), .decimal(let inner), .inside(let inner, _),
      .ofRelated(let inner, _):
      inner.isFolded
    default: false
    }
  }

  /// The field as it is stored, without interpretation.
  package var stored: Field {
    switch self {
    case .decimal(let inner), .folded(let inner): inner.stored
    case .inside(let inner, let path): .inside(inner.stored, path)
    case .ofRelated(let inner, let related): .ofRelated(inner.stored, related)
    case .joined(let type, let inner): .joined(type, inner.stored)
    default: self
    }
  }

  /// The joined type that the field belongs to, or nil for the query's own type.
  package var joinedType: EntityType? {
    switch self {
    case .joined(let type, _): type
    case .decimal(let inner), .folded(let inner), .inside(let inner, _): inner.joinedType
    case .ofRelated(_, let related), .aggregate(_, let related): related.own.joinedType
    case .relevance(_, let fields): fields.first?.joinedType
    default: nil
    }
  }

  /// The field with its interpretation outermost. A decimal number has no case.
  package var canonical: Field {
    switch self {
    case .property, .identifier, .datestamp, .modified, .firstOf, .relevance: self
    case .joined, .decimal, .folded, .inside, .ofRelated, .aggregate:
      isDecimal ? .decimal(stored) : (isFolded ? .folded(stored) : self)
    }
  }

  /// Returns the comparable form of a value: the value itself, or for a decimal field bytes that
  /// sort in numeric order, and for one that ignores case the folded text. Returns nil if the value
  /// is not comparable with any value of the field.
  package func comparand(of value: Value) -> Value? {
    isDecimal ? value.decimalComparand : (isFolded ? value.folded : value)
  }

  /// Returns a value of the field as the field's interpretation shows it.
  package func interpreted(_ value: Value) -> Value? {
    isDecimal ? value.asDecimal : (isFolded ? value.folded : value)
  }

  /// Returns the bytes by which SQL sorts a value of the field. They are empty if the value is
  /// missing, or if the field is decimal and the value is not a decimal number.
  package func orderBytes(of value: Value?) -> [UInt8] {
    (isDecimal ? value?.decimal?.orderKey : value.flatMap(comparand)?.sortKey) ?? []
  }
}

extension Value {
  /// The value's decimal number as bytes that sort in numeric order.
  package var decimalComparand: Value? { decimal.map { .data(Data($0.orderKey)) } }

  /// The value's decimal number as text, in the stored form.
  package var asDecimal: Value? { decimal.map { .string($0.text) } }
}

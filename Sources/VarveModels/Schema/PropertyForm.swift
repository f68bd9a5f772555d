import Foundation
import VarveCore

/// The form in which values of a property's type are stored, as far as the type determines it.
package enum PropertyForm: Hashable {
  case truth
  case number
  case decimal
  case date
  case text
  case data
  case reference
  /// A collection whose elements can be counted.
  case collection
  /// A to-many relation, which has no column.
  case many
  /// A form that only the value determines: a `Codable` type, or one with a stored form of its own.
  case any

  package init(of type: Any.Type) {
    switch type {
    case let type as any OptionalProperty.Type: self.init(of: type.wrapped)
    case let type as any RelationProperty.Type: self = type.isToMany ? .many : .reference
    case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: self = .number
    case is Bool.Type: self = .truth
    case is Decimal.Type: self = .decimal
    case is Date.Type: self = .date
    case is String.Type, is UUID.Type, is URL.Type: self = .text
    case is Data.Type: self = .data
    case is EntityID.Type, is any EntityIdentifier.Type: self = .reference
    case let type as any PropertyValue.Type where type.storedOrder == .decimal: self = .decimal
    case let type as any RawRepresentable.Type: self.init(rawValueOf: type)
    case is any Collection.Type: self = .collection
    default: self = .any
    }
  }

  private init<Raw: RawRepresentable>(rawValueOf type: Raw.Type) {
    self.init(of: Raw.RawValue.self)
  }

  /// The form in words, for messages.
  var name: String {
    switch self {
    case .truth: "a truth value"
    case .number: "a number"
    case .decimal: "a decimal number"
    case .date: "a date"
    case .text: "a text"
    case .data: "data"
    case .reference: "a reference"
    case .collection: "a collection"
    case .many: "a relation to many"
    case .any: "a value"
    }
  }

  /// Returns whether values of both forms can be compared.
  func compares(with other: PropertyForm) -> Bool {
    switch (self, other) {
    case (.many, _), (_, .many), (.truth, _), (_, .truth): false
    case (.any, _), (_, .any): true
    case (.number, .decimal), (.decimal, .number): true
    case (.collection, _), (_, .collection): false
    default: self == other
    }
  }
}

/// A type that may be nil.
protocol OptionalProperty { static var wrapped: Any.Type { get } }

extension Optional: OptionalProperty { static var wrapped: Any.Type { Wrapped.self } }

/// The identifier of a model.
private protocol EntityIdentifier {}

extension Identifier: EntityIdentifier {}

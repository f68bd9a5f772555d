import Foundation
public import VarveCore

/// A line of a mapping: the source of a property.
public struct Attribute: Sendable {
  /// The path of the value in an object.
  public var path: KeyPathInJSON
  /// The property.
  public var key: PropertyKey
  /// Converts the JSON value to the property's, and back.
  public var transform: ValueTransform?
  /// Converts the property's value to JSON, if this is not the transform's reverse.
  public var reverse: ValueTransform?
  /// Completes a value that is only the last part of a code.
  public var qualifier: Qualifier?

  /// Creates a line.
  ///
  /// - Parameters:
  ///   - path: names, separated by dots: `"address.street_number"`.
  ///   - key: the property; the path's names between dots if nil.
  ///   - transform: converts the JSON value to the property's, and back.
  ///   - reverse: converts the property's value to JSON instead.
  ///   - qualifier: completes a value that is only the last part of a code.
  public init(
    _ path: KeyPathInJSON,
    to key: PropertyKey? = nil,
    _ transform: ValueTransform? = nil,
    reverse: ValueTransform? = nil,
    qualifiedBy qualifier: Qualifier? = nil
  ) {
    self.path = path
    self.key = key ?? path.property
    self.transform = transform
    self.reverse = reverse
    self.qualifier = qualifier
  }
}

/// Completes codes by the prefix that they share with another value of the object.
///
/// With `Qualifier(by: "code", separator: "-")`, `"NX"` in an object whose code is `"AZ-SAR"`
/// stands for `"AZ-NX"`; `"AZ-NX"` stays unchanged.
public struct Qualifier: Hashable, Sendable {
  /// The path to the other value.
  public let path: KeyPathInJSON
  /// The separator between the parts of a code.
  public let separator: String

  /// Creates a qualifier.
  public init(by path: KeyPathInJSON, separator: String) {
    self.path = path
    self.separator = separator
  }

  /// Returns a value of an object, completed.
  func complete(_ value: JSON, in object: JSON) -> JSON {
    guard case .string(let text) = value, !text.contains(separator),
      case .value(.string(let whole)) = JSONLookup.find(path.names, in: object),
      let end = whole.range(of: separator)
    else { return value }
    return .string(whole[..<end.upperBound] + text)
  }
}

public import VarveCore

/// Converts a value of a document to one of a property, and back.
///
/// ```swift
/// let grams = ValueTransform(
///   "grams",
///   { $0.doubleValue.map { .int(Int64($0 * 1_000)) } },
///   reverse: { $0.intValue.map { .double(Double($0) / 1_000) } }
/// )
/// ```
///
/// A transform receives values only, never null. If it returns nil, the property is left unchanged
/// and the value is reported.
public struct ValueTransform: Sendable {
  /// The transform's name in messages and mapping files.
  public let name: String
  private let forward: @Sendable (Value) -> Value?
  private let backward: @Sendable (Value) -> Value?

  /// Creates a transform.
  ///
  /// - Parameters:
  ///   - name: the transform's name.
  ///   - forward: returns the property's value; nil if there is none.
  ///   - backward: returns the document's value; by default the property's value.
  public init(
    _ name: String,
    _ forward: @escaping @Sendable (Value) -> Value?,
    reverse backward: @escaping @Sendable (Value) -> Value? = { $0 }
  ) {
    self.name = name
    self.forward = forward
    self.backward = backward
  }

  /// Returns the property's value; nil if there is none.
  public func callAsFunction(_ value: Value) -> Value? { forward(value) }

  /// Returns the document's value; nil if there is none.
  public func reversed(_ value: Value) -> Value? { backward(value) }

  /// The reverse transform.
  public var reverse: ValueTransform { ValueTransform(name, backward, reverse: forward) }
}

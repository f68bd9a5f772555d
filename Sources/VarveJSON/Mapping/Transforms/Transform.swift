public import VarveCore

/// Turns a value of a document into one of a property, and back.
///
/// ```swift
/// let grams = Transform(
///   "grams",
///   { $0.doubleValue.map { .int(Int64($0 * 1_000)) } },
///   reverse: { $0.intValue.map { .double(Double($0) / 1_000) } }
/// )
/// ```
///
/// A transform runs on values only, never on null; one that answers nil has no value to give, which
/// leaves the property as it is and is reported.
public struct Transform: Sendable {
  /// The name it is known by in messages and mapping files.
  public let name: String
  private let forward: @Sendable (Value) -> Value?
  private let backward: @Sendable (Value) -> Value?

  /// Creates a transform.
  ///
  /// - Parameters:
  ///   - name: the name it is known by.
  ///   - forward: gives the property's value; nil where it can give none.
  ///   - backward: gives the document's value; where it is left out, values go out as they are.
  public init(
    _ name: String,
    _ forward: @escaping @Sendable (Value) -> Value?,
    reverse backward: @escaping @Sendable (Value) -> Value? = { $0 }
  ) {
    self.name = name
    self.forward = forward
    self.backward = backward
  }

  /// The property's value; nil where there is none.
  public func callAsFunction(_ value: Value) -> Value? { forward(value) }

  /// The document's value; nil where there is none.
  public func reversed(_ value: Value) -> Value? { backward(value) }

  /// The transform that does the reverse.
  public var reverse: Transform { Transform(name, backward, reverse: forward) }
}

public import VarveCore

/// Encodes any `Encodable` type as a ``Value``.
///
/// Keyed containers become dictionaries, unkeyed ones arrays. Booleans, integers, doubles, strings,
/// dates, data and ``EntityID`` are values of their own kinds; URLs, UUIDs and decimals are
/// strings. A key whose value is nil is omitted. ``ValueDecoder`` restores the value exactly.
///
/// ```swift
/// struct Size: Codable { var brim = 12; var crown: Double? }
/// let value = try ValueEncoder().encode(Size())  // ["brim": 12]
/// let size = try ValueDecoder().decode(Size.self, from: value)
/// ```
public struct ValueEncoder: Sendable {
  /// Creates an encoder.
  public init() {}

  /// Encodes a value.
  ///
  /// - Throws: ``VarveError`` with code `unsupportedValue`, and the path as its place, if the value
  ///   cannot be represented: a nil in an array or by itself, an integer beyond 64 signed bits,
  ///   types nested more than 200 deep, values nested beyond ``Value/maximumDepth``, or a value
  ///   that the type itself refuses. Other errors that the type throws are rethrown.
  /// - Complexity: O(size of the value).
  public func encode<T: Encodable>(_ thing: T) throws -> Value {
    do {
      let root = EncodedNode(.root)
      if let value = try root.scalar(of: thing) { return value }
      try root.encode(thing, calls: 0)
      guard let value = try root.finish() else { throw root.failure("there is no value for nil") }
      return value
    } catch let error as EncodingError {
      throw Self.described(error)
    }
  }

  private static func described(_ error: EncodingError) -> VarveError {
    guard case .invalidValue(_, let context) = error else {
      return VarveError(.unsupportedValue, "a value cannot be encoded: \(error)")
    }
    return VarveError(
      .unsupportedValue,
      context.debugDescription.withoutFullStop,
      at: CodingPlace.text(of: context.codingPath),
      remedy: "Leave it out, or encode it as another type."
    )
  }
}

extension String {
  /// The text without its full stop, as the first part of an error.
  var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

public import VarveCore

/// Makes a ``Value`` of anything that is `Encodable`.
///
/// What has keys becomes a dictionary, what has none an array. Booleans, integers, doubles, strings,
/// dates, data and ``EntityID`` are values of their own kind; URLs, UUIDs and decimals are strings.
/// A nil under a key leaves the key out. ``ValueDecoder`` reads it back, to the bit.
///
/// ```swift
/// struct Size: Codable { var brim = 12; var crown: Double? }
/// let value = try ValueEncoder().encode(Size())  // ["brim": 12]
/// let size = try ValueDecoder().decode(Size.self, from: value)
/// ```
public struct ValueEncoder: Sendable {
  /// Creates an encoder.
  public init() {}

  /// Encodes something.
  ///
  /// - Throws: ``VarveError`` with code `unsupportedValue`, and the path to it as its place, where
  ///   there is no value for it: a nil in an array or by itself, an integer beyond 64 signed bits,
  ///   types in types more than 200 deep, nesting beyond ``Value/maximumDepth``, or what the type
  ///   itself refuses. Errors of other kinds that the type throws are passed on.
  /// - Complexity: O(size of the value).
  public func encode<T: Encodable>(_ thing: T) throws -> Value {
    do {
      let root = EncodedNode(.root)
      if let value = try root.scalar(of: thing) { return value }
      try root.encode(thing, calls: 0)
      guard let value = try root.finish() else { throw root.failure("there is no value for nil") }
      return value
    } catch let error as EncodingError {
      throw Self.told(error)
    }
  }

  private static func told(_ error: EncodingError) -> VarveError {
    guard case .invalidValue(_, let context) = error else {
      return VarveError(.unsupportedValue, "something cannot be encoded: \(error)")
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
  /// The text as the first part of an error, which ends its sentences itself.
  var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

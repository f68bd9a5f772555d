public import VarveCore

/// Makes anything that is `Decodable` of a ``Value``: what ``ValueEncoder`` made of it.
///
/// A missing key is a nil. Numbers are read as the type asks where that loses nothing: the integer
/// 12 as a double, the double 12 as an integer; a `Float` is the nearest there is. UUIDs are read in
/// capital and small letters.
///
/// ```swift
/// struct Size: Codable { var brim: Int; var crown: Double? }
/// let size = try ValueDecoder().decode(Size.self, from: ["brim": 12])
/// ```
public struct ValueDecoder: Sendable {
  /// Creates a decoder.
  public init() {}

  /// Decodes a value.
  ///
  /// - Throws: ``VarveError`` with the path to it as its place: `typeMismatch` where a value is
  ///   missing, of another kind, or out of the type's range; `unsupportedValue` where types nest in
  ///   types more than 200 deep, or values beyond ``Value/maximumDepth``, or where the type itself
  ///   finds one corrupt. Errors of other kinds that the type throws are passed on.
  /// - Complexity: O(size of the value).
  public func decode<T: Decodable>(_ type: T.Type, from value: Value) throws -> T {
    do {
      return try ValueSource(value: value, place: .root, calls: 0).decode(type)
    } catch let error as DecodingError {
      throw Self.told(error)
    }
  }

  private static func told(_ error: DecodingError) -> VarveError {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      mismatch(context, at: context.codingPath)
    case .keyNotFound(let key, let context): mismatch(context, at: context.codingPath + [key])
    case .dataCorrupted(let context):
      VarveError(
        .unsupportedValue,
        context.debugDescription.withoutFullStop,
        at: CodingPlace.text(of: context.codingPath),
        remedy: "Store what the type can read."
      )
    @unknown default: VarveError(.unsupportedValue, "something cannot be decoded: \(error)")
    }
  }

  private static func mismatch(
    _ context: DecodingError.Context,
    at path: [any CodingKey]
  ) -> VarveError {
    VarveError(
      .typeMismatch,
      context.debugDescription.withoutFullStop,
      at: CodingPlace.text(of: path),
      remedy: "Store a value of that kind, or declare the property as what is stored."
    )
  }
}

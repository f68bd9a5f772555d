public import VarveCore

/// Decodes any `Decodable` type from a ``Value`` that a ``ValueEncoder`` made.
///
/// A missing key is nil. Numbers are converted to the requested type if nothing is lost: the
/// integer 12 to a double, the double 12 to an integer; a `Float` is rounded to the nearest. UUIDs
/// are read in upper and lower case.
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
  /// - Throws: ``VarveError`` with the path as its place: `fieldType` if a value is missing, of
  ///   another kind, or out of the type's range; `unsupportedValue` if types are nested more than
  ///   200 deep, if values are nested beyond ``Value/maximumDepth``, or if the type itself reports
  ///   corrupt data. Other errors that the type throws are rethrown.
  /// - Complexity: O(size of the value).
  public func decode<T: Decodable>(_ type: T.Type, from value: Value) throws -> T {
    try decode(type, ValueSource(value: value, place: .root, calls: 0))
  }

  /// Decodes a row of SQL, in which values have the kinds of columns.
  func decode<T: Decodable>(_ type: T.Type, fromColumns value: Value) throws -> T {
    try decode(type, ValueSource(value: value, place: .root, calls: 0, isOfColumns: true))
  }

  private func decode<T: Decodable>(_ type: T.Type, _ source: ValueSource) throws -> T {
    do {
      return try source.decode(type)
    } catch let error as DecodingError {
      throw Self.described(error)
    }
  }

  private static func described(_ error: DecodingError) -> VarveError {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      mismatch(context, at: context.codingPath)
    case .keyNotFound(let key, let context): mismatch(context, at: context.codingPath + [key])
    case .dataCorrupted(let context):
      VarveError(
        .unsupportedValue,
        context.debugDescription.withoutFullStop,
        at: CodingPlace.text(of: context.codingPath),
        remedy: "Store a value that the type can read."
      )
    @unknown default: VarveError(.unsupportedValue, "a value cannot be decoded: \(error)")
    }
  }

  private static func mismatch(
    _ context: DecodingError.Context,
    at path: [any CodingKey]
  ) -> VarveError {
    VarveError(
      .fieldType,
      context.debugDescription.withoutFullStop,
      at: CodingPlace.text(of: path),
      remedy: "Store a value of that kind, or declare the property with the type of the stored one."
    )
  }
}

import Foundation

/// An object with one member, whose name is the value's kind: `{"integer": 12}`,
/// `{"entity": "hat-1"}`.
///
/// Dates and data follow the strategies of the encoder, which may round them. Numbers that are not
/// finite are the texts `NaN`, `Infinity` and `-Infinity`. A dictionary with keys that differ only
/// in their Unicode form cannot be encoded, because encoders take them for one.
extension Value: Codable {
  /// Decodes a value.
  ///
  /// - Throws: `DecodingError` if there is not exactly one member with the name of a kind.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: TextKey.self)
    let kinds = Kind.allCases.filter { container.contains(TextKey(stringValue: $0.name)) }
    guard container.allKeys.count == 1, let kind = kinds.first else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "a value is an object with one member, named after its kind"
        )
      )
    }
    let key = TextKey(stringValue: kind.name)
    switch kind {
    case .bool: self = .bool(try container.decode(Bool.self, forKey: key))
    case .int: self = .int(try container.decode(Int64.self, forKey: key))
    case .double: self = .double(try container.decodeNumber(forKey: key))
    case .string: self = .string(try container.decode(String.self, forKey: key))
    case .date: self = .date(try container.decode(Date.self, forKey: key))
    case .data: self = .data(try container.decode(Data.self, forKey: key))
    case .reference: self = .reference(try container.decode(EntityID.self, forKey: key))
    case .array: self = .array(try container.decode([Value].self, forKey: key))
    case .dictionary:
      self = .dictionary(try container.decode([PropertyKey: Value].self, forKey: key))
    }
  }

  /// Encodes a value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: TextKey.self)
    let key = TextKey(stringValue: kind.name)
    switch self {
    case .bool(let value): try container.encode(value, forKey: key)
    case .int(let value): try container.encode(value, forKey: key)
    case .double(let value) where value.isFinite: try container.encode(value, forKey: key)
    case .double(let value): try container.encode(value.unendingName, forKey: key)
    case .string(let value): try container.encode(value, forKey: key)
    case .date(let value): try container.encode(value, forKey: key)
    case .data(let value): try container.encode(value, forKey: key)
    case .reference(let value): try container.encode(value, forKey: key)
    case .array(let values): try container.encode(values, forKey: key)
    case .dictionary(let fields):
      try container.encode(try fields.distinguished(at: encoder.codingPath), forKey: key)
    }
  }
}

extension [PropertyKey: Value] {
  /// Returns the dictionary if no two keys are the same text to Swift.
  fileprivate func distinguished(at path: [any CodingKey]) throws -> Self {
    guard Set(keys.map(\.text)).count < count else { return self }
    throw EncodingError.invalidValue(
      self,
      .init(codingPath: path, debugDescription: "keys differ only in their Unicode form")
    )
  }
}

extension Double {
  fileprivate var unendingName: String { isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity" }
}

extension KeyedDecodingContainer<TextKey> {
  fileprivate func decodeNumber(forKey key: TextKey) throws -> Double {
    guard let name = try? decode(String.self, forKey: key) else {
      return try decode(Double.self, forKey: key)
    }
    for number in [Double.nan, .infinity, -.infinity] where number.unendingName == name {
      return number
    }
    throw DecodingError.dataCorruptedError(
      forKey: key,
      in: self,
      debugDescription: "a double is a number, NaN, Infinity or -Infinity"
    )
  }
}

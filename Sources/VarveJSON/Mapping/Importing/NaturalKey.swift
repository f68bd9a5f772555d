import Foundation
import VarveCore

/// A type and the property that identifies its entities.
final class KeyPlace {
  let type: EntityType
  let key: PropertyKey
  private let prefix: String

  init(_ type: EntityType, _ key: PropertyKey) {
    self.type = type
    self.key = key
    prefix = Self.escaped(type.text)
  }

  /// Returns the identifier derived from the type and a value, the same on every replica (R20).
  ///
  /// It is `Type/text` for a string, `Type#12` for an integer, and `Type!` with the canonical
  /// encoding in hexadecimal digits for any other value. `%`, `/`, `#`, `!` and `~` of the type are
  /// escaped as in URLs. An identifier that would be too long ends in `~` and a SHA-256 digest.
  ///
  /// If that identifier belongs to another entity, the next one is used: `Type~2/text`,
  /// `Type~3/text` and so on. Because `~` in a type is escaped, two different types and values
  /// never share an identifier.
  ///
  /// - Parameter number: the number of the identifier, from 1.
  func derivedID(_ value: Value, number: Int = 1) -> EntityID {
    let prefix = number == 1 ? prefix : "\(prefix)~\(number)"
    let text: String
    switch value {
    case .string(let value): text = "\(prefix)/\(value)"
    case .int(let value): text = "\(prefix)#\(value)"
    default: text = "\(prefix)!\(Self.hexadecimal(value.encoded))"
    }
    if let id = try? EntityID(text) { return id }
    let digest = ContentDigest.sha256(Array(type.text.utf8), [0], value.encoded).hexadecimal
    let short = prefix.utf8.count <= 512 ? prefix : number == 1 ? "" : "~\(number)"
    return EntityID(unchecked: "\(short)~\(digest)")
  }

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: special.contains) else { return text }
    return text.unicodeScalars.map { scalar in
      guard scalar.isASCII, special.contains(UInt8(scalar.value)) else { return String(scalar) }
      return "%" + String(scalar.value, radix: 16, uppercase: true)
    }.joined()
  }

  private static let special: Set<UInt8> = Set("%/#!~".utf8)

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

/// The value that identifies an entity among those of its type (R20).
struct NaturalKey: Hashable {
  let place: KeyPlace
  let value: Value

  var derivedID: EntityID { place.derivedID(value) }

  static func == (left: NaturalKey, right: NaturalKey) -> Bool {
    left.place === right.place && left.value == right.value
  }

  /// Hashes the value only, because few types share values.
  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

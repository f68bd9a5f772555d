import Crypto
import VarveCore

/// A round of an exchange of memberships with a space that keeps nothing between two rounds: the message,
/// and what the sender has of what the space would send.
struct SealedRequest: Sendable {
  let message: [UInt8]
  let known: Set<KnownPart>

  private static let version: UInt8 = 1

  init(message: [UInt8], known: Set<KnownPart>) {
    self.message = message
    self.known = known
  }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.counted(message)
    let parts = known.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }
    writer.varint(parts.count)
    for part in parts { writer.raw(part) }
    return writer.bytes
  }

  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  init(encoded bytes: [UInt8]) throws {
    self = try StrictReading.read(bytes, "a request about the membership") { reader in
      let version = try reader.byte()
      guard version == Self.version else {
        throw StrictReading.newer("a request about the membership has version \(version)")
      }
      let message = Array(try reader.counted())
      let unit = KnownPart.byteCount
      let limit = 3 * SealedLimits.headCount
      let known = try (0..<(try reader.count(unit: unit, limit: limit, of: "parts"))).map { _ in
        KnownPart(bytes: try reader.bytes(unit))
      }
      for (part, next) in zip(known, known.dropFirst())
      where !part.bytes.lexicographicallyPrecedes(next.bytes) {
        throw reader.damaged("parts are not in rising order")
      }
      return SealedRequest(message: message, known: Set(known))
    }
  }
}

/// A signed head, a letter or the last entry of a log that a side has, or a wanted hash that it cannot serve;
/// each by its hash.
struct KnownPart: Sendable, Hashable {
  let bytes: [UInt8]

  static let byteCount = 16

  init(bytes: [UInt8]) { self.bytes = bytes }

  init(of part: [UInt8]) {
    bytes = Array(SHA256.hash(data: part).prefix(Self.byteCount))
  }
}

import VarveCore

/// Secrets as people write them down: Crockford's base 32, in groups of four, with a checksum.
enum PrintedSecret {
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  /// The bytes of a checksum.
  private static let checksumByteCount = 3

  /// Returns the text of a secret. Secret and checksum must make whole digits.
  static func text(of secret: Secret, domain: Domain) -> String {
    var bytes = secret.withUnsafeBytes { Array($0) }
    bytes.reserveCapacity(secret.count + checksumByteCount)
    bytes += checksum(of: secret, domain)
    defer { bytes.withUnsafeMutableBytes(Secret.wipe) }
    precondition(bytes.count % 5 == 0, "five bytes are eight digits")
    var text = ""
    var (bits, bitCount) = (UInt32(0), 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        if text.utf8.count % 5 == 4 { text += "-" }
        text.unicodeScalars.append(Unicode.Scalar(digits[Int(bits >> UInt32(bitCount) & 31)]))
      }
    }
    return text
  }

  /// Reads a text, regardless of case, hyphens and spaces.
  ///
  /// - Parameter what: its name, for errors, which have nothing of the text.
  /// - Throws: `VarveError` with code `invalidArgument`.
  static func read(_ text: String, byteCount: Int, domain: Domain, _ what: String) throws -> Secret
  {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount + checksumByteCount)
    var (bits, bitCount) = (UInt32(0), 0)
    for byte in text.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
      guard let digit = value(of: byte), bytes.count < byteCount + checksumByteCount else {
        throw mistyped(what)
      }
      bits = bits << 5 | digit
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    defer { bytes.withUnsafeMutableBytes(Secret.wipe) }
    let secret = Secret(copying: bytes.prefix(byteCount))
    guard bitCount == 0, bytes.count == byteCount + checksumByteCount,
      bytes.suffix(checksumByteCount).elementsEqual(checksum(of: secret, domain))
    else { throw mistyped(what) }
    return secret
  }

  private static func value(of byte: UInt8) -> UInt32? {
    // Clearing the bit makes a letter a capital.
    let byte = byte >= UInt8(ascii: "a") ? byte & 0xDF : byte
    switch byte {
    case UInt8(ascii: "O"): return 0
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    default: return digits.firstIndex(of: byte).map { UInt32($0) }
    }
  }

  private static func checksum(of secret: Secret, _ domain: Domain) -> [UInt8] {
    var digest = DigestStream()
    digest.add(domain.bytes)
    secret.withUnsafeBytes { digest.add($0) }
    return Array(digest.digest.bytes.prefix(checksumByteCount))
  }

  private static func mistyped(_ what: String) -> VarveError {
    VarveError(
      .invalidArgument,
      "\(what) has a mistake: its checksum is another",
      at: what,
      remedy: "Compare every group of four with what was printed, and type it again."
    )
  }
}

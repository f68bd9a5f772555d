import VarveCore

/// The contents of a file with one secret: a domain, the secret behind its length, and a checksum.
enum KeyFile {
  private static let checksumByteCount = 32

  /// The greatest size of a file.
  static var byteCountLimit: Int {
    Domain.keyFile.bytes.count + 3 + SealedLimits.secretByteCount + checksumByteCount
  }

  static func contents(of secret: Secret) -> Secret {
    var head = ByteWriter()
    head.raw(Domain.keyFile.bytes)
    head.varint(secret.count)
    let bodyCount = head.count + secret.count
    return Secret(count: bodyCount + checksumByteCount) { buffer in
      let parts = UnsafeMutableRawBufferPointer(rebasing: buffer[head.count...])
      buffer.copyBytes(from: head.bytes)
      secret.withUnsafeBytes { parts.copyBytes(from: $0) }
      var digest = DigestStream()
      digest.add(UnsafeRawBufferPointer(rebasing: buffer[..<bodyCount]))
      let checksum = UnsafeMutableRawBufferPointer(rebasing: buffer[bodyCount...])
      checksum.copyBytes(from: digest.digest.bytes)
    }
  }

  /// Reads what ``contents(of:)`` made.
  ///
  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  static func secret(of contents: Secret, at path: String) throws -> Secret {
    func damaged(_ why: String) -> VarveError {
      StrictReading.damaged("a key file", why, at: path)
    }
    return try contents.withUnsafeBytes { bytes in
      let domain = Domain.keyFile.bytes
      guard bytes.count >= domain.count + checksumByteCount else {
        throw damaged("it is too short")
      }
      guard bytes.prefix(domain.count).elementsEqual(domain) else {
        throw damaged("it does not begin as one")
      }
      let body = bytes.dropLast(checksumByteCount)
      var digest = DigestStream()
      digest.add(body)
      guard bytes.suffix(checksumByteCount).elementsEqual(digest.digest.bytes) else {
        throw damaged("its checksum is another: it was changed or cut")
      }
      do {
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: body), offset: domain.count)
        let secret = try reader.counted()
        guard reader.isAtEnd, secret.count <= SealedLimits.secretByteCount else {
          throw damaged("bytes follow the secret")
        }
        return Secret(copying: secret)
      } catch let error as VarveError where error.place != path {
        throw damaged(error.message)
      }
    }
  }
}

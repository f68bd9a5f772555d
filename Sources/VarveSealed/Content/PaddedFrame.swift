import VarveCore

/// Bytes behind their length, padded with zeros to one of few lengths: PADMÉ (Nikitin and others,
/// *Reducing Metadata Leakage from Encrypted Files and Communication with PURBs*, 2019). A length
/// tells at most the order of its own order of magnitude, and grows by 12 % at most.
enum PaddedFrame {
  /// The bytes of the length.
  static let prefixByteCount = 4

  /// Returns the length to which `count` bytes, 4 at least, are padded.
  static func paddedCount(_ count: Int) -> Int {
    precondition(count >= prefixByteCount, "a frame begins with its length")
    let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
    let size = Int.bitWidth - exponent.leadingZeroBitCount
    let mask = (1 << max(0, exponent - size)) - 1
    return (count + mask) & ~mask
  }

  /// Returns the frame of a plaintext.
  static func framed(_ plaintext: [UInt8]) -> [UInt8] {
    let count = prefixByteCount + plaintext.count
    var frame: [UInt8] = []
    frame.reserveCapacity(paddedCount(count))
    let length = UInt32(plaintext.count)
    withUnsafeBytes(of: length.bigEndian) { frame.append(contentsOf: $0) }
    frame += plaintext
    frame += repeatElement(0, count: paddedCount(count) - count)
    return frame
  }

  /// Returns the plaintext of a frame; nil if it is not one, byte for byte.
  static func plaintext(of frame: UnsafeRawBufferPointer) -> [UInt8]? {
    guard frame.count >= prefixByteCount else { return nil }
    let length = UInt32(bigEndian: frame.loadUnaligned(as: UInt32.self))
    guard let length = Int(exactly: length), length <= frame.count - prefixByteCount else {
      return nil
    }
    let end = prefixByteCount + length
    guard frame.count == paddedCount(end), frame[end...].allSatisfy({ $0 == 0 }) else {
      return nil
    }
    return Array(frame[prefixByteCount..<end])
  }
}

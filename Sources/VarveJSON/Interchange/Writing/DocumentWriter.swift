/// Passes on the bytes of a document in parts of bounded size.
struct DocumentWriter {
  /// The size at which a part is passed on.
  private static let partByteCount = 128 << 10

  var json = JSONBytes()
  private(set) var byteCount = 0
  private let write: ([UInt8]) throws -> Void

  init(_ write: @escaping ([UInt8]) throws -> Void) { self.write = write }

  /// Passes on the collected bytes, if they are enough for a part.
  mutating func flushIfFull() throws {
    if json.bytes.count >= Self.partByteCount { try flush() }
  }

  /// Passes on the collected bytes.
  mutating func flush() throws {
    guard !json.bytes.isEmpty else { return }
    try write(json.bytes)
    byteCount += json.bytes.count
    json.removeAll()
  }
}

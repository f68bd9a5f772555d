/// Hands the bytes of a document on in parts of bounded size.
struct DocumentWriter {
  /// A part is handed on when it has so many bytes.
  private static let partByteCount = 128 << 10

  var json = JSONBytes()
  private(set) var byteCount = 0
  private let write: ([UInt8]) throws -> Void

  init(_ write: @escaping ([UInt8]) throws -> Void) { self.write = write }

  /// Hands on what came together, where it is enough.
  mutating func flushIfFull() throws {
    if json.bytes.count >= Self.partByteCount { try flush() }
  }

  /// Hands on what came together.
  mutating func flush() throws {
    guard !json.bytes.isEmpty else { return }
    try write(json.bytes)
    byteCount += json.bytes.count
    json.removeAll()
  }
}

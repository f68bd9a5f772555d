#if Server
/// Cuts bytes into lines as they arrive, with no more memory than the longest allowed line, and
/// what arrived last.
struct LineCutter {
  /// A line, or a marker that it is too long.
  enum Line: Equatable {
    case bytes([UInt8])
    case tooLong
  }

  /// The maximum number of bytes in a line.
  let limit: Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var searched = 0
  private var isTooLong = false
  private var isAtEnd = false

  init(limit: Int) { self.limit = limit }

  /// Appends bytes.
  mutating func add(_ bytes: some Collection<UInt8>) {
    if start > 0 {
      buffer.removeFirst(start)
      searched -= start
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Ends the input: what remains is the last line.
  mutating func finish() { isAtEnd = true }

  /// Returns the next complete line.
  mutating func next() -> Line? {
    if let end = buffer[searched...].firstIndex(of: 0x0A) {
      defer {
        start = end + 1
        searched = start
        isTooLong = false
      }
      guard !isTooLong, end - start <= limit else { return .tooLong }
      return .bytes(Array(buffer[start..<end]))
    }
    searched = buffer.count
    if isTooLong || buffer.count - start > limit {
      isTooLong = true
      start = buffer.count
    }
    guard isAtEnd, isTooLong || start < buffer.count else { return nil }
    defer {
      start = buffer.count
      isTooLong = false
    }
    return isTooLong ? .tooLong : .bytes(Array(buffer[start...]))
  }
}
#endif

import Foundation
import VarveCore

/// Reads lines of bytes from a file descriptor, in memory no larger than the longest line allowed.
struct LineReader {
  /// A line, or that it is too long.
  enum Line {
    case bytes([UInt8])
    case tooLong
  }

  private static let readByteCount = 1 << 16

  private let descriptor: Int32
  private let name: String
  private let limit: Int
  private var buffer: [UInt8] = []
  /// Where in the buffer the next line begins.
  private var start = 0
  private var isAtEnd = false
  private var isAtBeginning = true

  /// - Parameters:
  ///   - name: what people call it.
  ///   - limit: the longest line, in bytes.
  init(descriptor: Int32, name: String, limit: Int) {
    self.descriptor = descriptor
    self.name = name
    self.limit = limit
  }

  /// Whether the next line may have to be waited for: none is here, and none has arrived.
  var wouldBlock: Bool {
    guard !isAtEnd, lineEnd(from: start) == nil else { return false }
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) == 0
  }

  /// The next line without its end, or nil after the last. A byte order mark before the first is
  /// left out.
  mutating func next() throws -> Line? {
    let line = try nextAsItIs()
    guard isAtBeginning else { return line }
    isAtBeginning = false
    guard case .bytes(let bytes)? = line, bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
      return line
    }
    return .bytes(Array(bytes.dropFirst(3)))
  }

  private mutating func nextAsItIs() throws -> Line? {
    var searched = start
    var isTooLong = false
    while true {
      if let end = lineEnd(from: searched) {
        guard !isTooLong, end - start <= limit else {
          start = end + 1
          return .tooLong
        }
        return .bytes(take(through: end))
      }
      if isAtEnd {
        defer { start = buffer.count }
        if isTooLong || buffer.count - start > limit { return .tooLong }
        return start == buffer.count ? nil : .bytes(Array(buffer[start...]))
      }
      if isTooLong || buffer.count - start > limit {
        isTooLong = true
        start = buffer.count
      }
      compact()
      searched = buffer.count
      try fill()
    }
  }

  /// Takes the line that ends at an index. A long one is handed over as the buffer it stands in: two
  /// copies of it may be more memory than there is.
  private mutating func take(through end: Int) -> [UInt8] {
    guard end - start > Self.readByteCount else {
      defer { start = end + 1 }
      return Array(buffer[start..<end])
    }
    let rest = Array(buffer[(end + 1)...])
    buffer.removeSubrange(end...)
    compact()
    defer { buffer = rest }
    return buffer
  }

  /// Where the first line from an index on ends, if all of it has been read.
  private func lineEnd(from index: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard index < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + index, 0x0A, bytes.count - index)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  /// Drops what was read.
  private mutating func compact() {
    guard start > 0 else { return }
    buffer.removeFirst(start)
    start = 0
  }

  /// Waits for more bytes.
  private mutating func fill() throws {
    let part = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.readByteCount,
      alignment: 1
    )
    defer { part.deallocate() }
    while true {
      let count = read(descriptor, part.baseAddress, Self.readByteCount)
      if count >= 0 {
        buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: part[..<count]))
        isAtEnd = count == 0
        return
      }
      guard errno == EINTR else {
        throw VarveError(
          .inputOutput,
          "the operations cannot be read: \(String(cString: strerror(errno)))",
          at: name,
          remedy: "Name a file of operations, one a line."
        )
      }
    }
  }
}

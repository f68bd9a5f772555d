#if CommandLine
import Foundation
import VarveCore

/// Reads lines of bytes from a file descriptor, with no more memory than the longest allowed line.
struct LineReader {
  /// A line, or a marker that it is too long.
  enum Line {
    case bytes([UInt8])
    case tooLong
  }

  private static let readByteCount = 1 << 16

  private let descriptor: Int32
  private let name: String
  private let limit: Int
  private var buffer: [UInt8] = []
  /// The index in the buffer at which the next line begins.
  private var start = 0
  private var isAtEnd = false
  private var isAtBeginning = true

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - name: the name of the input in messages.
  ///   - limit: the maximum length of a line, in bytes.
  init(descriptor: Int32, name: String, limit: Int) {
    self.descriptor = descriptor
    self.name = name
    self.limit = limit
  }

  /// Whether reading the next line may block: the buffer has none, and no bytes have arrived.
  var wouldBlock: Bool {
    guard !isAtEnd, lineEnd(from: start) == nil else { return false }
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) == 0
  }

  /// Returns the next line without its end, or nil after the last. A byte order mark at the
  /// beginning is removed.
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

  /// Takes the line that ends at an index. A long line is returned as its buffer, because two
  /// copies may exceed the memory.
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

  /// Returns the end of the first line from an index on, if all of it has been read.
  private func lineEnd(from index: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard index < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + index, 0x0A, bytes.count - index)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  /// Discards the bytes that were read.
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
          remedy: "Name a file of operations, one per line."
        )
      }
    }
  }
}
#endif

#if Client || canImport(Darwin)
/// Reads server-sent events from bytes as they arrive.
struct EventReader {
  /// An event.
  struct Event: Hashable {
    var name = "message"
    var id: String?
    var data = ""
  }

  /// The most bytes of a line.
  static let lineByteCount = 64 << 20

  private var line: [UInt8] = []
  private var event = Event()
  private var hasData = false
  private var complete: [Event] = []

  /// Adds bytes.
  ///
  /// - Throws: `ReplyTooLarge` if a line is too long.
  mutating func add(_ bytes: [UInt8]) throws {
    for byte in bytes {
      guard byte == 0x0A else {
        guard line.count < Self.lineByteCount else { throw ReplyTooLarge() }
        line.append(byte)
        continue
      }
      end()
    }
  }

  /// Returns the next event that arrived completely.
  mutating func next() -> Event? { complete.isEmpty ? nil : complete.removeFirst() }

  private mutating func end() {
    defer { line.removeAll(keepingCapacity: true) }
    if line.last == 0x0D { line.removeLast() }
    let text = String(decoding: line, as: UTF8.self)
    guard !text.isEmpty else {
      if hasData { complete.append(event) }
      event = Event()
      hasData = false
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.count > 1 ? parts[1] : ""
    if value.hasPrefix(" ") { value.removeFirst() }
    switch parts[0] {
    case "event": event.name = String(value)
    case "id": event.id = String(value)
    case "data":
      event.data += (hasData ? "\n" : "") + value
      hasData = true
    default: break
    }
  }
}
#endif

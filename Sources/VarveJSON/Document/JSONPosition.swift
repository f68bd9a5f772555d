/// A position in a text: line and column, both from 1, and the number of bytes before it.
public struct JSONPosition: Hashable, Sendable, CustomStringConvertible {
  /// The line.
  public var line: Int
  /// The column, in Unicode scalars.
  public private(set) var column: Int
  /// The number of bytes before the position.
  public private(set) var byteOffset: Int

  /// The beginning of a text.
  static let start = JSONPosition(of: 0, in: [])

  init(of byteOffset: Int, in bytes: [UInt8]) {
    var (line, column) = (1, 1)
    bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      let end = min(byteOffset, bytes.count)
      while index < end {
        let byte = bytes[index]
        if byte == 0x0A {
          line &+= 1
          column = 1
        } else if byte & 0xC0 != 0x80 {
          column &+= 1
        }
        index &+= 1
      }
    }
    self.line = line
    self.column = column
    self.byteOffset = byteOffset
  }

  /// Advances over bytes of the text.
  mutating func advance(over bytes: UnsafeRawBufferPointer) {
    byteOffset += bytes.count
    let lines = bytes.count(where: { $0 == UInt8(ascii: "\n") })
    var lineStart = 0
    if lines > 0 {
      line += lines
      column = 1
      lineStart = (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
    }
    column += UnsafeRawBufferPointer(rebasing: bytes[lineStart...])
      .count(where: { $0 & 0xC0 != 0x80 })
  }

  /// Returns the position in the whole text of a position in a part that begins here.
  func advanced(to inner: JSONPosition) -> JSONPosition {
    var position = inner
    position.line += line - 1
    if inner.line == 1 { position.column += column - 1 }
    position.byteOffset += byteOffset
    return position
  }

  /// `line 1, column 9`.
  public var description: String { text(from: 1) }

  /// Returns the position as a text, in a text that begins on a line.
  func text(from first: Int) -> String { "line \(first + line - 1), column \(column)" }
}

extension UnsafeRawBufferPointer {
  /// Returns the number of bytes with a property.
  ///
  /// Sums of one byte, of as many bytes as they can count, let the compiler use whole vectors.
  @inline(__always)
  fileprivate func count(where isCounted: (UInt8) -> Bool) -> Int {
    guard let start = baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    var total = 0
    var index = 0
    while index < count {
      let end = Swift.min(index &+ 240, count)
      var sum: UInt8 = 0
      while index < end {
        sum &+= isCounted(start[index]) ? 1 : 0
        index &+= 1
      }
      total &+= Int(sum)
    }
    return total
  }
}

/// A step from a value into one of its parts.
enum JSONStep: Hashable, Sendable {
  /// A member of an object.
  case name(String)
  /// An element of an array, counted from 0.
  case index(Int)
}

extension [JSONStep] {
  /// The path in the usual notation: `set.color`, `operations[2].id`.
  var text: String {
    reduce(into: "") { text, step in
      switch step {
      case .name(let name): text += (text.isEmpty ? "" : ".") + name
      case .index(let index): text += "[\(index)]"
      }
    }
  }
}

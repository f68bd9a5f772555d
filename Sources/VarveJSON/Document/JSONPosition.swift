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
    // Two simple loops, which the compiler vectorises.
    var lines = 0
    for byte in bytes { lines &+= byte == UInt8(ascii: "\n") ? 1 : 0 }
    var lineStart = 0
    if lines > 0 {
      line += lines
      column = 1
      lineStart = (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
    }
    var scalars = 0
    for byte in bytes[lineStart...] { scalars &+= byte & 0xC0 != 0x80 ? 1 : 0 }
    column += scalars
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
  public var description: String { "line \(line), column \(column)" }
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

/// Finds the end of a JSON value in bytes that arrive in parts, without reading the content.
///
/// It stores a flag for each open bracket and nothing of the content.
struct JSONExtent {
  /// Whether the value has ended.
  private(set) var isComplete = false
  /// The reason why the bytes are not a value.
  private(set) var problem: String?

  private let outerDepth: Int
  private let longestToken: Int
  /// The open brackets; true for objects.
  private var open: [Bool] = []
  private var state = State.between
  /// The number of bytes of the current number or word.
  private var tokenByteCount = 0

  private enum State {
    case between
    case string
    case escape
    case token
  }

  /// - Parameters:
  ///   - depth: the number of open brackets around the value.
  ///   - longestToken: the maximum length of a number or word, in bytes.
  init(depth: Int, longestToken: Int) {
    outerDepth = depth
    self.longestToken = longestToken
  }

  /// Whether the end of the text may end the value: a number or a word without brackets.
  var endsWithText: Bool { open.isEmpty && state == .token }

  /// Scans bytes; returns the index after the value, at the problem, or at the end.
  mutating func advance(over bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count, !isComplete, problem == nil {
      switch state {
      case .between: between(bytes, &index)
      case .string: string(bytes, &index)
      case .escape:
        index += 1
        state = .string
      case .token: token(bytes, &index)
      }
    }
    return index
  }

  private mutating func between(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    let byte = bytes[index]
    switch byte {
    case UInt8(ascii: "\""):
      index += 1
      state = .string
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard outerDepth + open.count < JSONReader.maximumDepth else {
        problem = "values are nested too deep"
        return
      }
      index += 1
      open.append(byte == UInt8(ascii: "{"))
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard open.popLast() == (byte == UInt8(ascii: "}")) else {
        problem = "a bracket does not match"
        return
      }
      index += 1
      isComplete = open.isEmpty
    case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: ":"):
      guard !open.isEmpty else {
        problem = "a value is expected"
        return
      }
      index += 1
    default:
      tokenByteCount = 0
      state = .token
    }
  }

  private mutating func string(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    while index < bytes.count {
      let byte = bytes[index]
      index &+= 1
      if byte == UInt8(ascii: "\"") {
        state = .between
        isComplete = open.isEmpty
        return
      }
      if byte == UInt8(ascii: "\\") {
        state = .escape
        return
      }
    }
  }

  private mutating func token(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "}"),
        UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
        state = .between
        isComplete = open.isEmpty
        return
      default:
        index &+= 1
        tokenByteCount += 1
        guard tokenByteCount <= longestToken else {
          problem = "a number or word is longer than \(longestToken) bytes"
          return
        }
      }
    }
  }
}

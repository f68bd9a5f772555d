/// Finds where a JSON value ends, over bytes that come in parts, without reading what it says.
///
/// It keeps a bit for each open bracket and nothing of the content.
struct JSONExtent {
  /// Whether the value has ended.
  private(set) var isComplete = false
  /// Why it can be no value.
  private(set) var problem: String?

  private let outerDepth: Int
  private let longestToken: Int
  /// The open brackets; true for objects.
  private var open: [Bool] = []
  private var state = State.between
  /// How long the number or word is that is being passed over.
  private var tokenByteCount = 0

  private enum State {
    case between
    case string
    case escape
    case token
  }

  /// - Parameters:
  ///   - depth: how many brackets are open around the value.
  ///   - longestToken: the longest number or word, in bytes.
  init(depth: Int, longestToken: Int) {
    outerDepth = depth
    self.longestToken = longestToken
  }

  /// Whether the value may end where the text ends: a number or a word that stands alone.
  var endsWithText: Bool { open.isEmpty && state == .token }

  /// Goes on; answers where it stopped: behind the value, at the problem, or at the end.
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

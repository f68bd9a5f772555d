#if CommandLine
import Foundation

/// A key that was pressed on a terminal in raw mode.
enum TerminalKey: Equatable {
  case text(String)
  case enter, tab, backspace, delete
  case left, right, up, down, home, end
  /// ^D, which also deletes.
  case endOfInput
  /// ^C.
  case cancel
  /// ^L.
  case clear
  case cutToEnd, cutToStart, cutWord
  case other

  private static let controls: [UInt8: TerminalKey] = [
    0x01: .home, 0x02: .left, 0x03: .cancel, 0x04: .endOfInput, 0x05: .end, 0x06: .right,
    0x08: .backspace, 0x09: .tab, 0x0A: .enter, 0x0B: .cutToEnd, 0x0C: .clear, 0x0D: .enter,
    0x0E: .down, 0x10: .up, 0x15: .cutToStart, 0x17: .cutWord, 0x7F: .backspace,
  ]

  private static let sequences: [String: TerminalKey] = [
    "[A": .up, "[B": .down, "[C": .right, "[D": .left, "[H": .home, "[F": .end, "OA": .up,
    "OB": .down, "OC": .right, "OD": .left, "OH": .home, "OF": .end, "[1~": .home,
    "[3~": .delete, "[4~": .end, "[7~": .home, "[8~": .end,
  ]

  /// Returns the next key; nil if the terminal is gone.
  static func next() -> TerminalKey? {
    guard let first = byte() else { return nil }
    if first == 0x1B { return sequence() }
    if let control = controls[first] { return control }
    guard first >= 0x20 else { return .other }
    var bytes = [first]
    let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
    while bytes.count < count, let next = byte() { bytes.append(next) }
    return String(validating: bytes, as: UTF8.self).map(TerminalKey.text) ?? .other
  }

  /// Returns the key of an escape sequence.
  private static func sequence() -> TerminalKey? {
    guard let first = byte() else { return nil }
    var text = String(UnicodeScalar(first))
    guard text == "[" || text == "O" else { return .other }
    while text.utf8.count <= 8, let next = byte() {
      text.unicodeScalars.append(UnicodeScalar(next))
      if (0x40...0x7E).contains(next) { break }
    }
    return sequences[text] ?? .other
  }

  private static func byte() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &byte, 1)
      if count == 1 { return byte }
      if count == 0 || errno != EINTR { return nil }
    }
  }
}
#endif

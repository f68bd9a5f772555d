import VarveTestSupport

/// Corrupts texts at random: changes, cuts or doubles bytes, enlarges numbers, adds nesting.
struct Mutator {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private static let numbers = [
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "4294967296", "1e308",
    "-1e308", "1e-320", "0.1e999", "00", "-0", "-0.0", "1E400", "18446744073709551615",
    "1099511627776", "1099511627777",
  ]
  private static let tokens = [
    "null", "true", "{}", "[]", "\"\"", "[[]]", "{\"\":{}}", "\"\\ud800\"", "\"\\u0000\"", ",", ":",
    "{\"date\":\"9999-12-31T23:59:59.999Z\"}", "{\"double\":\"NaN\"}", "\u{FEFF}", "\"~2/\"",
  ]

  mutating func mutated(_ text: [UInt8]) -> [UInt8] {
    var bytes = text
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty { mutate(&bytes) }
    return bytes
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    let place = Int.random(in: bytes.indices, using: &random)
    let length = Int.random(in: 1...40, using: &random)
    let range = place..<min(place + length, bytes.count)
    switch Int.random(in: 0..<9, using: &random) {
    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: bytes.removeLast(bytes.count - place)
    case 3: bytes.removeSubrange(range)
    case 4:
      bytes.insert(contentsOf: bytes[range], at: Int.random(in: bytes.indices, using: &random))
    case 5, 6: replaceNumber(from: place, in: &bytes)
    case 7: bytes.replaceSubrange(range, with: Array(random.pick(Self.tokens).utf8))
    default:
      let depth = random.pick([1, 20, 600, 1_300])
      let bracket = random.pick(["[", "{\"a\":", "]", "}", "{\"array\":["])
      bytes.insert(contentsOf: Array(String(repeating: bracket, count: depth).utf8), at: place)
    }
  }

  /// Puts another number in place of the next one.
  private mutating func replaceNumber(from place: Int, in bytes: inout [UInt8]) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = bytes[place...].firstIndex(where: digits.contains) else { return }
    let end = bytes[first...].firstIndex { !digits.contains($0) } ?? bytes.count
    bytes.replaceSubrange(first..<end, with: Array(random.pick(Self.numbers).utf8))
  }
}

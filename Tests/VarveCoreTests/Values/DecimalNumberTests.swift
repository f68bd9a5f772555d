import Foundation
import Testing
import VarveCore
import VarveTestSupport

@Suite("Decimal numbers as exact values")
struct DecimalNumberTests {
  @Test(arguments: [
    ("1.00", "1"), ("+.50", "0.5"), ("-0.0", "0"), ("12e3", "12000"), ("1.25E-2", "0.0125"),
    ("007", "7"), ("5.", "5"), ("0e99", "0"),
    ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
    ("3.1415926535897932384626433832795028841971", "3.14159265358979323846264338327950288419"),
    ("999999999999999999999999999999999999999", "999999999999999999999999999999999999990"),
  ]
  )
  func `decimal numbers as exact values are read from entire texts`(text: String, expected: String)
    throws
  {
    let number = try #require(DecimalNumber(text))
    #expect(number.text == expected)
    #expect(DecimalNumber(number.text) == number)
    let decimal = try #require(Decimal(string: text))
    #expect(Decimal(string: number.text) == decimal)
  }

  @Test(arguments: [
    "", ".", "-", "+", "e5", "1e", "1e+", " 1", "1 ", "1 hat", "1,5", "0x10", "--1", "NaN", "inf",
    "1e166", "1e-129", "1e999999999999999999999", "é",
  ]
  )
  func `decimal numbers as exact values are not read from anything else`(text: String) {
    #expect(DecimalNumber(text) == nil)
  }

  @Test func `have the order of their keys, and add up as Foundation adds`() throws {
    var random = SplitMix64(seed: 4)
    let numbers = (0..<300).map { _ -> Decimal in
      let digits = Decimal(Int.random(in: -1_000_000...1_000_000, using: &random))
      let exponent = Int.random(in: -12...6, using: &random)
      return digits * Decimal(sign: .plus, exponent: exponent, significand: 1)
    }
    let read = try numbers.map { try #require(DecimalNumber("\($0)")) }
    for (one, other) in zip(numbers.indices, numbers.indices.reversed()) {
      let (left, right) = (read[one].orderKey, read[other].orderKey)
      #expect((numbers[one] < numbers[other]) == left.lexicographicallyPrecedes(right))
      #expect((numbers[one] == numbers[other]) == (left == right))
    }
    var sum = DecimalSum()
    for number in read { sum.add(number) }
    #expect(sum.total?.text == "\(numbers.reduce(0, +))")
    #expect(DecimalSum().mean == nil)
    var third = DecimalSum()
    for number in [1, 1, 0].map({ DecimalNumber(Int64($0)) }) { third.add(number) }
    #expect(third.mean?.text == "0." + String(repeating: "6", count: 37) + "7")
  }
}

import Foundation
import Testing
import VarveCore
import VarveTestSupport

@Suite("The order of values in queries")
struct ValueComparisonTests {
  @Test
  func `is that of truth values, numbers, dates, texts, data, references, arrays, dictionaries`() {
    let rising: [Value] = [
      false, true, .double(-.infinity), .int(.min), -1, .double(-0.5), 0, .double(0.5), 1,
      .int(1 << 53), .int(1 << 53 + 1), .int(.max), .double(0x1p63), .double(.infinity),
      .double(.nan), .date(.distantPast), .date(.distantFuture), "", "A", "a", "aa", "é",
      .data(Data()), .data(Data([0])), .reference("a"), [], [:],
    ]
    for (low, high) in zip(rising, rising.dropFirst()) {
      #expect(low.sortKey.lexicographicallyPrecedes(high.sortKey), "\(low) < \(high)")
    }
  }

  @Test func `the order of values in queries compares integers and doubles numerically`() {
    #expect(Value.int(1).compared(with: .double(1)) == 0)
    #expect(Value.double(0).compared(with: .double(-0.0)) == 0)
    #expect(Value.int(1 << 53 + 1).compared(with: .double(0x1p53)) == 1)
    #expect(Value.int(.max).compared(with: .double(0x1p63)) == -1)
    #expect(Value.int(.min).compared(with: .double(-0x1p63)) == 0)
    #expect(Value.double(0x1p63).compared(with: .int(.max)) == 1)
    #expect(Value.double(-1.5).compared(with: .int(-1)) == -1)
    #expect(Value.int(-2).compared(with: .double(-1.5)) == -1)
  }

  @Test func `compares nothing with a NaN, and no kind with another`() {
    let nan = Value.double(.nan)
    #expect(nan.compared(with: nan) == nil)
    #expect(Value.int(1).compared(with: nan) == nil)
    #expect(Value.int(1).compared(with: "1") == nil)
    #expect(Value.bool(true).compared(with: 1) == nil)
    #expect(
      Value.date(Date(timeIntervalSinceReferenceDate: .nan)).compared(with: .date(.now)) == nil
    )
  }

  @Test func `agrees with Swift's on random doubles and integers`() {
    var random = SplitMix64(seed: 2)
    for _ in 0..<5_000 {
      let (a, b) = (Int64(bitPattern: random.next()), Int64(bitPattern: random.next()))
      #expect((Value.int(a).compared(with: .int(b)) == -1) == (a < b))
      let (x, y) = (Double(bitPattern: random.next()), Double(bitPattern: random.next()))
      guard !x.isNaN, !y.isNaN else { continue }
      #expect((Value.double(x).compared(with: .double(y)) == -1) == (x < y))
      let near = Double(a)
      #expect((Value.int(a).compared(with: .double(near)) == -1) == (a < near))
      #expect((Value.int(a).compared(with: .double(near)) == 0) == (a == near))
    }
  }
}

/// Exact comparison, as the language defines it for mixed operands.
private func < (left: Int64, right: Double) -> Bool {
  if let exact = Int64(exactly: right) { return left < exact }
  return right > 0
}

private func == (left: Int64, right: Double) -> Bool { Int64(exactly: right) == left }

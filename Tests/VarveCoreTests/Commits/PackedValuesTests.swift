import Foundation
import Testing
import VarveCore
import VarveTestSupport

@Suite("Packed values")
struct PackedValuesTests {
  private static let samples: [Value?] = [
    nil, true, false, 0, .int(.min), .int(.max), -0.0, .double(.nan), .double(-.infinity), "", "a",
    "é", .string(String(repeating: "long ", count: 50)), .data(Data()), .data(Data([0, 255])),
    .date(Date(timeIntervalSinceReferenceDate: -.nan)), .reference("name"), .reference(.new()),
    [1, ["two"], []], ["key": nested], .date(.distantPast),
  ]
  private static let nested: Value = ["inner": [true, 2.5]]

  @Test func `contain the original values, to the bit, with their kinds and sizes`() {
    let packed = PackedValues(Self.samples)
    #expect(Array(packed) == Self.samples)
    for (index, value) in Self.samples.enumerated() {
      #expect(packed.kind(at: index) == value?.kind)
      #expect(packed.byteCountEstimate(at: index) == value?.byteCountEstimate() ?? 0)
    }
  }

  @Test func `copy any range of others, whatever precedes it and however it was appended`() {
    var random = SplitMix64(seed: 4)
    for _ in 0..<200 {
      var source = PackedValues(Self.samples)
      if random.chance(50) { source[random.pick(Array(source.indices))] = "put in later" }
      let ends = [random.pick(Array(0...source.count)), random.pick(Array(0...source.count))]
        .sorted()
      var copy: PackedValues = ["before", 7]
      copy.append(ends[0]..<ends[1], of: source)
      #expect(Array(copy) == ["before", 7] + source[ends[0]..<ends[1]])
    }
  }

  @Test func `packed values have as a sum the sizes of the values of a range`() {
    let packed = PackedValues(Self.samples)
    for start in packed.indices {
      for end in start...packed.count {
        let sizes = (start..<end).map { packed.byteCountEstimate(at: $0) ?? 0 }
        #expect(packed.byteCountEstimate(of: start..<end) == sizes.reduce(0, +))
      }
    }
  }

  @Test func `packed values remove the last ones, and continue`() {
    var packed: PackedValues = ["a", "b", "c"]
    packed.removeLast(2)
    packed.append("d")
    #expect(Array(packed) == ["a", "d"])
    packed.removeAll()
    packed.append([1])
    #expect(Array(packed) == [[1]])
  }

  @Test func `packed values are equal if their values are, wherever the bytes are`() {
    var packed: PackedValues = ["a", "b"]
    packed[0] = "changed"
    #expect(packed == ["changed", "b"])
    #expect(packed.hashValue == PackedValues(["changed", "b"]).hashValue)
    #expect(packed != ["a", "b"])
  }
}

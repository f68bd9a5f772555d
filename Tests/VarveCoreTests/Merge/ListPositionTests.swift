import Testing
import VarveCore
import VarveTestSupport

@Suite("Positions")
struct ListPositionTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `between two others lie between them`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var positions: [ListPosition] = []
    for _ in 0..<400 {
      let index = Int.random(in: 0...positions.count, using: &random)
      let lower = index > 0 ? positions[index - 1] : nil
      let upper = index < positions.count ? positions[index] : nil
      positions.insert(.between(lower, upper), at: index)
    }
    for (left, right) in zip(positions, positions.dropFirst()) { #expect(left < right) }
  }

  @Test func `positions stay short when everything is put at one end or at one place`() {
    var first = ListPosition.between(nil, nil)
    var last = first
    for _ in 0..<800 {
      first = .between(nil, first)
      last = .between(last, nil)
    }
    #expect(first.bytes.count <= 120)
    #expect(last.bytes.count <= 120)
  }

  @Test func `between random bounds lie between them, if there is room`() {
    var random = SplitMix64(seed: 8)
    func bytes() -> [UInt8] {
      (0..<Int.random(in: 1...4, using: &random)).map { _ in random.pick([0, 0, 1, 2, 254, 255]) }
    }
    for _ in 0..<20_000 {
      let (one, two) = (ListPosition(bytes: bytes()), ListPosition(bytes: bytes()))
      guard one != two else { continue }
      let (lower, upper) = (min(one, two), max(one, two))
      let middle = ListPosition.between(lower, upper)
      #expect(lower < middle)
      // Between a position and itself followed by zeros there is no room.
      let hasRoom =
        !upper.bytes.dropFirst(lower.bytes.count).allSatisfy { $0 == 0 }
        || !upper.bytes.starts(with: lower.bytes)
      #expect(hasRoom ? middle < upper : middle <= upper)
      #expect(ListPosition.between(nil, upper) <= upper)
      #expect(lower < ListPosition.between(lower, nil))
    }
  }

  @Test func `positions of adds without one are in the order of stamps and ordinals`() {
    let times = [HybridTime.distantPast, HybridTime(rawValue: -1), HybridTime(rawValue: 0)]
    var positions: [ListPosition] = []
    for time in times {
      for ordinal in [0, 1, 255, 256, 70_000] {
        positions.append(ListPosition(stamp: time, ordinal: ordinal))
      }
    }
    #expect(positions == positions.sorted())
  }
}

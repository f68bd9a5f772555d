import Foundation
import Testing
import VarveCore

/// A chain of many conditions is compared, hashed and released on the stack of a small thread.
@Suite struct LongChainTests {
  private static let count = 50_000
  /// The stack of a thread of Foundation's on Apple's systems.
  private static let stackByteCount = 512 << 10

  @Test func `chains of conditions need little stack, from either end`() async {
    let isSound = await Self.onSmallStack {
      let conditions = (0..<Self.count).map { Field("size") != .int(Int64($0)) }
      let all = conditions.dropFirst().reduce(conditions[0]) { $0 && $1 }
      let any = conditions.dropLast().reversed().reduce(conditions[Self.count - 1]) { $1 || $0 }
      return all == all && any.hashValue == any.hashValue && all != any
    }
    #expect(isSound)
  }

  @Test func `chains of conditions on groups need little stack`() async {
    let isSound = await Self.onSmallStack {
      let conditions = (0..<Self.count).map { Aggregation(.count) != .int(Int64($0)) }
      let all = conditions.dropFirst().reduce(conditions[0]) { $0 && $1 }
      let any = conditions.dropFirst().reduce(conditions[0]) { $0 || $1 }
      let results: [Aggregation: Value?] = [Aggregation(.count): .int(7)]
      return all.holds(for: results) == false && any.holds(for: results) == true
    }
    #expect(isSound)
  }

  @Test func `parts keep their order, and short chains lie side by side`() {
    let (a, b, c) = (Field("a") == 1, Field("b") == 2, Field("c") == 3)
    #expect((a && b && c) == .and([a, b, c]))
    #expect((a && (b && c)) == .and([a, b, c]))
    #expect((a || b || c) == .or([a, b, c]))
    #expect((a && b || c) == .or([.and([a, b]), c]))
    #expect((!(a && b) && c) == .and([.not(.and([a, b])), c]))
  }

  private static func onSmallStack(_ body: @escaping @Sendable () -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      thread.stackSize = stackByteCount
      thread.start()
    }
  }
}

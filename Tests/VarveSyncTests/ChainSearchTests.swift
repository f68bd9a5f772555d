import Testing
import VarveCore
import VarveSync
import VarveTestSupport

@Suite("The search for the part of a chain that two logs share")
struct ChainSearchTests {
  private func id(_ sequence: Int64) -> CommitID {
    CommitID(replica: ReplicaID(high: 1, low: 1), sequence: sequence, hash: .sha256([1]))
  }

  @Test(
    arguments: [1, 2, 33, 34, 1_000, 1_000_000] as [Int64]
  )
  func `finds the exact place, in few rounds`(length: Int64) {
    var random = SplitMix64(seed: UInt64(length))
    let places =
      [0, 1, length / 2, length - 1]
      + (0..<20).map { _ in
        Int64.random(in: 0..<length, using: &random)
      }
    for common in places where common < length {
      var search = ChainSearch(head: id(length))
      var roundCount = 0
      while !search.questions.isEmpty {
        let asked = search.questions.map(id)
        #expect(asked.allSatisfy { (1..<length).contains($0.sequence) })
        search.learn(asked: asked, held: Set(asked.filter { $0.sequence <= common }))
        roundCount += 1
      }
      #expect(search.common?.sequence ?? 0 == common)
      #expect(roundCount <= 6, "\(common) of \(length)")
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `ends with any replies of the other side`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var search = ChainSearch(head: id(100_000))
    var roundCount = 0
    while !search.questions.isEmpty, roundCount < 200 {
      let asked = search.questions.map(id).filter { _ in random.chance(90) }
      search.learn(asked: asked, held: Set(asked.filter { _ in random.chance(50) }))
      roundCount += 1
    }
    #expect(roundCount < 200)
  }
}

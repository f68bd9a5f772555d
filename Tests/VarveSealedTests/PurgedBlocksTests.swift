import Testing
import VarveCore
import VarveSealed

@Suite("What purges left of blocks")
struct PurgedBlocksTests {
  private var team: SealedTeam
  private let names: [BlockName]

  init() throws {
    team = try SealedTeam()
    let commits = team.commits(2, by: team.ben).map(\.id)
    names = commits.map { BlockName(commit: $0, index: 3) }.sorted()
    try team.append(.checkpoint([commits[1]]), by: team.ana)
  }

  private func digest(_ number: UInt8) -> ContentDigest { .sha256([number]) }

  /// Signs that blocks were purged, and returns what the whole log left.
  private mutating func purge(_ blocks: [(Int, UInt8)]) throws -> PurgedBlocks {
    let left = blocks.map { PurgedBlock(names[$0.0], digest: digest($0.1)) }
    try team.append(.redact(left, sealed: [1]), by: team.ana)
    var purged = PurgedBlocks()
    for entry in team.log.entries { purged.add(entry) }
    purged.end(with: [])
    return purged
  }

  @Test mutating func `is what the last entry says, and what earlier ones said is known`() throws {
    _ = try purge([(0, 1), (1, 2)])
    let purged = try purge([(0, 3)])
    #expect(purged.all == [(0, 3), (1, 2)].map { PurgedBlock(names[$0.0], digest: digest($0.1)) })
    #expect(purged.block(leftAs: digest(3)) == PurgedBlock(names[0], digest: digest(3)))
    #expect(purged.block(leftAs: digest(1)) == nil)
    #expect(purged.block(leftAs: digest(4)) == nil)
    for number: UInt8 in [1, 3] { #expect(purged.isLeft(digest(number), of: names[0])) }
    #expect(!purged.isLeft(digest(2), of: names[0]))
    #expect(!purged.isLeft(digest(4), of: names[0]))
  }

  @Test mutating func `is nothing before the first purge`() throws {
    #expect(PurgedBlocks().all.isEmpty)
    #expect(PurgedBlocks().block(leftAs: .zero) == nil)
  }
}

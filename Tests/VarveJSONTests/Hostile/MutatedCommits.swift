import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Corrupted commits with correct hashes, as an attacker might send them.
enum MutatedCommits {
  static func rounds(_ count: Int, seed: UInt64) async throws {
    let commits = try await MutatedDocuments.filled().commits()
    var mutator = Mutator(seed: seed)
    var (refused, taken) = (0, 0)
    for _ in 0..<count {
      let store = try await makeStore()
      let wrong = try mutated(commits, &mutator)
      do {
        var parts = wrong.flatMap { commit in
          [CommitPart.header(commit.header)] + commit.blocks.map(CommitPart.block)
        }[...]
        _ = try await store.merge { parts.popFirst() }
        taken += 1
        for form in InterchangeForm.allCases { _ = try await store.document(form) }
        _ = try await store.conflicts()
        for entity in try await store.fetch(Query("Hat")) {
          _ = try await store.history(of: entity.id)
        }
      } catch is VarveError {
        refused += 1
      }
    }
    #expect(refused > 0 && taken > 0)
  }

  /// The commits with one of them changed; later commits are left out, because they depend on it.
  private static func mutated(_ commits: [Commit], _ mutator: inout Mutator) throws -> [Commit] {
    let index = Int.random(in: commits.indices, using: &mutator.random)
    let commit = commits[index]
    var header = commit.header
    var blocks = commit.blocks
    if mutator.random.chance(70), !blocks.isEmpty {
      let place = Int.random(in: blocks.indices, using: &mutator.random)
      var payload = try blocks[place].payload()
      for _ in 0..<Int.random(in: 1...2, using: &mutator.random) where !payload.isEmpty {
        let byte = Int.random(in: payload.indices, using: &mutator.random)
        switch Int.random(in: 0..<4, using: &mutator.random) {
        case 0: payload[byte] = UInt8.random(in: 0...255, using: &mutator.random)
        case 1: payload[byte] ^= 1 << UInt8.random(in: 0..<8, using: &mutator.random)
        case 2: payload.removeSubrange(byte..<min(byte + 3, payload.count))
        default:
          // The greatest numbers of a varint, and greater ones.
          let last = mutator.random.pick([0x7F, 0x01, 0x00] as [UInt8])
          let bytes = [UInt8](repeating: 0xFF, count: mutator.random.pick([4, 8, 9])) + [last]
          payload.replaceSubrange(byte...byte, with: bytes)
        }
      }
      blocks[place] = Block(sealing: payload)
    } else {
      switch Int.random(in: 0..<6, using: &mutator.random) {
      case 0: header.blockCount = mutator.random.pick([0, 2, 1 << 40, Int.max])
      case 1: header.ordinalCount = mutator.random.pick([0, 1 << 40, Int.max])
      case 2: header.sequence = mutator.random.pick([2, 1_000, Int64.max])
      case 3: header.time = HybridTime(rawValue: mutator.random.pick([.min, .max, -1, 0]))
      case 4: header.latestCellTime = HybridTime(rawValue: mutator.random.pick([.min, .max, 0]))
      default: header.kind = header.kind == .ordinary ? .redactions : .ordinary
      }
    }
    header.blocksDigest = CommitHeader.digest(ofBlocks: blocks.map(\.digest))
    return Array(commits[..<index]) + [Commit(header: header, blocks: blocks)]
  }
}

extension Store {
  /// All commits, whole, in the order of their stamps.
  fileprivate func commits() async throws -> [Commit] {
    var parts: [CommitPart] = []
    try await forEachCommitPart { parts.append($0) }
    var commits: [Commit] = []
    for part in parts {
      switch part {
      case .header(let header): commits.append(Commit(header: header, blocks: []))
      case .block(let block):
        let last = commits.removeLast()
        commits.append(Commit(header: last.header, blocks: last.blocks + [block]))
      }
    }
    return commits
  }
}

@Suite("Corrupted commits with correct hashes")
struct MutatedCommitTests {
  @Test func `are appended or refused`() async throws {
    try await MutatedCommits.rounds(120, seed: 1)
  }
}

import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveSync
import VarveTestSupport

/// What a member of a sealed space writes, offered to the store of an open one.
@Suite("A commit of a sealed space, at a store that was opened without a seal")
struct SealedArrivalTests {
  /// A sealed commit or one that voids others, one that had seen it, and one that had not.
  private struct Offer {
    let sealed: Commit
    let follower: Commit
    let other: Commit
    let source: ReferenceBackend

    init(isVoiding: Bool) async throws {
      var writer = ScriptedReplica(1)
      let thing: EntityID = "thing"
      let first = writer.commit(at: 1, [thing.isCreated()])
      var header = first.header
      if isVoiding {
        header.kind = .voiding
      } else {
        header.extensions = [CommitHeader.Extension(number: 1, bytes: [1, 0, 0])]
      }
      sealed = Commit(header: header, blocks: first.blocks)
      var reader = ScriptedReplica(2)
      follower = reader.commit(at: 2, seen: [sealed.id], [thing.has("size", 1)])
      var independent = ScriptedReplica(3)
      let cap: EntityID = "cap"
      other = independent.commit(at: 3, [cap.isCreated()])
      source = ReferenceBackend(wallMilliseconds: TestClock().reading())
      _ = try await source.append([sealed, follower, other])
    }
  }

  private func expectOthersOnly(_ store: Store) async throws {
    let frontier = try await store.frontier()
    #expect(frontier.heads.map(\.replica) == [ScriptedReplica(3).id])
    #expect(try await store.exists("cap"))
    #expect(try await store.exists("thing") == false)
    #expect(try await store.check().isClean)
  }

  @Test(arguments: [false, true])
  func `is refused as newerFormat, and nothing of it is kept`(isVoiding: Bool) async throws {
    let offer = try await Offer(isVoiding: isVoiding)
    let store = try await Store.open(.inMemory)
    let log = try store.sharedLog()
    await #expect {
      try await log.append([offer.sealed])
    } throws: {
      ($0 as? VarveError)?.code == .newerFormat
    }
    #expect(try await store.frontier().heads.isEmpty)
  }

  @Test(arguments: [
    false, true,
  ]
  )
  func `is parked by a synchronisation, with what had seen it; all else arrives`(isVoiding: Bool)
    async throws
  {
    let offer = try await Offer(isVoiding: isVoiding)
    let store = try await Store.open(.inMemory)
    var exchange = LocalExchange(try store.sharedLog(), offer.source)
    let report = try await exchange.run().here
    #expect(report.parked.map(\.commit) == [offer.sealed.id])
    #expect(report.parked.first?.error.code == .newerFormat)
    try await expectOthersOnly(store)
  }

  @Test(arguments: [false, true])
  func `is parked on its way through a folder`(isVoiding: Bool) async throws {
    let offer = try await Offer(isVoiding: isVoiding)
    let scratch = try Scratch()
    _ = try await SyncFolder(scratch.path("f")).synchronize(offer.source)
    let store = try await Store.open(.inMemory)
    let report = try await store.sync(folder: scratch.path("f"))
    #expect(report.parked.map(\.commit) == [offer.sealed.id])
    try await expectOthersOnly(store)
  }
}

#if CommandLine && Server
import Foundation
import Testing
import VarveCore
import VarvePostgres
import VarveSealed
import VarveStore
import VarveTestSupport

/// Indexes of a relay whose home is a database.
@Suite(
  "An index of a relay",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct SealedIndexTests {
  private let team: SealedMembers

  init() throws { team = try SealedMembers() }

  @Test func `has what every other one at its position has`() async throws {
    let (relay, index, ana, ben) = try await team.meeting("sealed_equal")
    let other = try await relay.index()
    #expect(try await other.position() == index.position())
    try await ana.set("1", "color", "blue", from: ben, by: other)
    try await index.followHome()
    #expect(try await other.position() == index.position())
    func desk(_ store: Store) async throws -> [[[UInt8]]] {
      try await store.readableLog().readingDesk { desk in
        let letters = try SealedLetterKind.allCases.flatMap { try desk.letters($0) }
        return [
          try desk.entries, try desk.signatures.sorted { $0.lexicographicallyPrecedes($1) },
          letters.map { $0.id + $0.content }, [[try desk.isHome ? 1 : 0]],
        ]
      }
    }
    let state = try await desk(index)
    #expect(state[0].count > 3 && state[1].count > 1 && state[2].count > 0 && state[3] == [[1]])
    #expect(try await desk(other) == state)
    let fresh = try await relay.index()
    #expect(try await desk(fresh) == state)
    for store in [index, other, fresh] {
      #expect(try await store.check().findings == [])
      try await store.close()
    }
    try await ana.close()
    try await ben.close()
  }

  @Test func `has purged blocks as they were replaced, whichever host took the purge`() async throws
  {
    let (relay, index, ana, ben) = try await team.meeting("sealed_purged")
    let other = try await relay.index()
    try await ben.write { tx in
      for id: EntityID in ["2", "3"] { try await tx.create("Hat", id: id, ["color": "red"]) }
    }
    try await ben.sync(with: index)
    try await ana.sync(with: index)
    let sealed = try await blocks(ana)
    var former = Set<[UInt8]>()
    for id: EntityID in ["1", "2", "3"] {
      former.formUnion(try await blocks(ana).values.joined())
      try await ana.purge([id])
      try await ana.sync(with: index)
      #expect(try await ana.history(of: id).compactMap(\.value) == [])
      for store in [other, index] { try await store.followHome() }
    }
    try await ben.sync(with: other)
    let left = try await blocks(ana)
    let purged = sealed.filter { left[$0.key] != $0.value }
    #expect(purged.count == 2)
    former.subtract(left.values.joined())
    #expect(former.count == 3)
    let fresh = try await relay.index()
    for store in [index, other, fresh, ben] {
      #expect(try await blocks(store) == left)
      #expect(try await store.check().findings == [])
    }
    #expect(try await ben.history(of: "1").compactMap(\.value) == [])
    #expect(try await relay.findings() == [])
    for bytes in former { #expect(try await count(bytes, relay) == 0) }
    for bytes in left.values.joined() { #expect(try await count(bytes, relay) == 1) }
    for store in [index, other, fresh, ana, ben] { try await store.close() }
  }

  @Test func `gives a home that went back the purged blocks again`() async throws {
    let (relay, index, ana, ben) = try await team.meeting("sealed_purge_lost")
    try await ana.sync(with: index)
    try await relay.backUp()
    try await ana.purge(["1"])
    try await ana.sync(with: index)
    let left = try await blocks(ana)
    try await relay.goBack()
    try await index.followHome()
    let fresh = try await relay.index()
    #expect(try await blocks(index) == left)
    #expect(try await blocks(fresh) == left)
    try await ben.sync(with: fresh)
    #expect(try await blocks(ben) == left)
    #expect(try await relay.findings() == [])
    for bytes in left.values.joined() { #expect(try await count(bytes, relay) == 1) }
    for store in [index, fresh, ana, ben] {
      #expect(try await store.check().findings == [])
      try await store.close()
    }
  }

  /// Returns how many blocks of a home have some stored bytes.
  private func count(_ stored: [UInt8], _ relay: RelayHome) async throws -> Int64 {
    let hex = stored.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    return try #require(
      try await relay.home.administer([
        "SELECT count(*) FROM varve.blocks WHERE payload = '\\x\(hex)'"
      ])
    )
  }

  private func blocks(_ store: Store) async throws -> [CommitID: [[UInt8]]] {
    let items = try await store.readableLog().items(
      beyond: .empty,
      atMost: 1 << 20,
      wholeUpTo: 1 << 20,
      outline: nil
    )
    return items.reduce(into: [:]) { blocks, item in
      if case .commit(let commit) = item { blocks[commit.id] = commit.blocks.map(\.stored) }
    }
  }

  @Test func `gives the home what it lost, and the others go on`() async throws {
    let (relay, index, ana, ben) = try await team.meeting("sealed_lost")
    try await relay.backUp()
    let device = try #require(try await ben.members().first { $0.isThisDevice })
    try await ana.sync(with: index)
    try await ana.removeMember(device.id)
    try await ana.sync(with: index)
    try await ana.create("Hat", id: "2", ["color": "red"])
    try await ana.sync(with: index)
    let entries = try await ana.entries
    try await relay.goBack()
    try await index.followHome()
    let other = try await relay.index()
    let held = try await other.entries
    #expect(held == entries)
    let eve = try await team.store("eve")
    try await eve.join(try await ana.invite(.writer))
    for store in [eve, ana, eve] { try await store.sync(with: other) }
    #expect(try await eve.entity("1") != nil)
    #expect(try await eve.entity("2") != nil)
    #expect(try await relay.findings() == [])
    for store in [index, other, ana, ben, eve] { try await store.close() }
  }

  @Test func `yields to what the home ordered after it had gone back, and members see the fork`()
    async throws
  {
    let (relay, first, ana, ben) = try await team.meeting("sealed_fork")
    let scratch = try Scratch()
    var index = try await relay.index(.file(scratch.path("index.varve")))
    try await first.close()
    try await ana.sync(with: index)
    let device = try #require(try await ben.members().first { $0.isThisDevice })
    try await ana.setRole(.admin, of: device.id)
    for store in [ana, ben] { try await store.sync(with: index) }
    try await relay.backUp()
    try await ana.rotateEpoch()
    try await ana.sync(with: index)
    // Its host runs no more, or it would give the home what it lost.
    try await index.close()
    try await relay.goBack()
    // A host that had nothing yet orders another entry in the same place.
    let other = try await relay.index()
    try await ben.rotateEpoch()
    try await ben.sync(with: other)
    let ordered = try await ben.entries
    index = try await relay.index(.file(scratch.path("index.varve")))
    let held = try await index.entries
    #expect(held == ordered)
    #expect(try await relay.findings() == [])
    await expectFailure(.readOnly) { try await ana.sync(with: index) }
    try await ben.sync(with: index)
    for store in [index, other, ana, ben] { try await store.close() }
  }

  @Test func `of a file that was no home's gives all of it to the home`() async throws {
    let (ana, ben) = (try await team.store("ana"), try await team.store("ben"))
    _ = try await ana.sealSpace()
    var configuration = Store.Configuration()
    configuration.seal = try .relay()
    let scratch = try Scratch()
    let file = scratch.path("team.varve")
    var relay = try await Store.open(file, configuration: configuration)
    try await ana.sync(with: relay)
    try await relay.close()
    let home = try await RelayHome("sealed_file", of: ana.sealedSpace)
    let index = try await home.index(.file(file))
    let other = try await home.index()
    let held = try await other.entries
    #expect(try await held == ana.entries)
    try await ben.join(try await ana.invite(.writer))
    for store in [ben, ana, ben] { try await store.sync(with: other) }
    #expect(try await ben.membership().role == .writer)
    for store in [index, other] { try await store.close() }
    // Without the home, it orders nothing.
    relay = try await Store.open(file, configuration: configuration)
    await expectFailure(.unsupported) { try await ana.sync(with: relay) }
    try await relay.close()
    try await ana.close()
    try await ben.close()
  }

  @Test func `needs the seal of a relay, and an open space needs none`() async throws {
    let ana = try await team.store("ana")
    _ = try await ana.sealSpace()
    let relay = try await RelayHome("sealed_seals", of: ana.sealedSpace)
    await expectFailure(.newerFormat) {
      try await Store.open(.space(RelayHome.name, at: relay.home, index: .inMemory))
    }
    var configuration = Store.Configuration()
    configuration.seal = try .relay()
    let sealed = configuration
    _ = try await relay.home.create("hats")
    await expectFailure(.unsupported) {
      try await Store.open(.space("hats", at: relay.home, index: .inMemory), configuration: sealed)
    }
    // A relay is made with the id of its space, and not by opening it.
    await expectFailure(.notFound) {
      try await Store.open(.space("caps", at: relay.home, index: .inMemory), configuration: sealed)
    }
    #expect(try await relay.home.spaceNames() == ["hats", RelayHome.name])
    await expectFailure(.unsupported) {
      var configuration = Store.Configuration()
      configuration.seal = try team.seal("ana")
      return try await Store.open(
        .space(RelayHome.name, at: relay.home, index: .inMemory),
        configuration: configuration
      )
    }
    let other = try await RelayHome("sealed_other", of: .random())
    let index = try await other.index()
    await expectFailure(.forbidden) { try await ana.sync(with: index) }
    for home in [relay, other] { #expect(try await home.findings() == []) }
    try await index.close()
    try await ana.close()
  }
}

extension Store {
  /// Sets a property, after this store has read what another wrote, through a relay.
  fileprivate func set(
    _ id: EntityID,
    _ key: PropertyKey,
    _ value: Value,
    from other: Store,
    by relay: Store
  ) async throws {
    try await sync(with: relay)
    try await set(id, key, value)
    try await sync(with: relay)
    try await other.sync(with: relay)
  }
}
#endif

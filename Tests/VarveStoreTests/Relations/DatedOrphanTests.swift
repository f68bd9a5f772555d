import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// A policy applies to what loses its last owner now. A statement for an earlier date, after which
/// a later one gives the entity an owner, takes nothing away.
@Suite("Orphan policies and dates")
struct DatedOrphanTests {
  private func year(_ year: Int) -> Date {
    Date(timeIntervalSince1970: Double(year - 1970) * 31_557_600)
  }

  /// A store in which a hat is in a shop from 2010 on, by its reference.
  private func store(
    _ engine: Engine,
    _ policy: OrphanPolicy
  ) async throws -> (store: Store, shop: EntityID, hat: EntityID) {
    let store = try await makeStore(engine) { $0.orphanPolicies = ["hats": policy] }
    let shop = Shop(name: "A")
    var hat = Hat("red")
    try await store.write(at: year(1990)) { tx in
      try await tx.save(shop)
      try await tx.save(hat)
    }
    hat.shop = shop.ref
    try await store.write(at: year(2010)) { try await $0.save(hat) }
    return (store, shop.id.entityID, hat.id.entityID)
  }

  private static let policies = [OrphanPolicy.refuse, .erase]

  @Test(
    arguments: Engine.allCases,
    policies
  )
  func `a removed reference or relation of the past orphans nothing that has its owner later`(
    engine: Engine,
    policy: OrphanPolicy
  ) async throws {
    let (store, shop, hat) = try await store(engine, policy)
    try await store.remove(hat, "shop", at: year(2000))
    try await store.set(hat, "shop", .reference(shop), at: year(2003))
    try await store.remove(hat, "shop", at: year(2005))
    try await store.set(hat, "shop", 0, at: year(2006))
    try await store.unrelate(shop, .owns, hat, named: "hats", at: year(2004))
    try await store.unrelate(hat, .ownedBy, shop, named: "hats", at: year(2007))
    #expect(try await store.relatedIDs(hat, .ownedBy) == [shop])
    #expect(try await store.require(hat)["shop"] == .reference(shop))
    for (date, owners) in [(2003, [shop]), (2004, []), (2009, []), (2011, [shop])] {
      #expect(try await store.asOf(year(date)).relatedIDs(hat, .ownedBy) == owners, "\(date)")
    }
    #expect(try await store.disagreements().isEmpty)
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `a removal that no later statement follows meets the policy`(engine: Engine) async throws {
    let (store, shop, hat) = try await store(engine, .refuse)
    let count = try await store.commitCount()
    let writes: [(Store) async throws -> Void] = [
      { try await $0.remove(hat, "shop", at: year(2012)) },
      { _ = try await $0.update(hat, ["shop": nil], at: year(2012)) },
      { try await $0.set(hat, "shop", 0, at: year(2010)) },
      { try await $0.unrelate(shop, .owns, hat, named: "hats", at: year(2012)) },
    ]
    for write in writes {
      #expect(await failure { try await write(store) }?.code == .orphanRefused)
    }
    #expect(try await store.commitCount() == count)
    #expect(try await store.relatedIDs(hat, .ownedBy) == [shop])

    let (erasing, _, lost) = try await self.store(engine, .erase)
    try await erasing.remove(lost, "shop", at: year(2012))
    #expect(try await erasing.entity(lost) == nil)
    #expect(try await erasing.asOf(year(2011)).entity(lost) != nil)
  }
}

import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// References and their edges that are written for dates, in either order.
extension PairedReferenceTests {
  private typealias Statement = (Store) async throws -> Void

  private func year(_ year: Int) -> Date {
    Date(timeIntervalSince1970: Double(year - 1970) * 31_557_600)
  }

  /// A store with a hat from 1990 on, in a shop from the given years on, and its shops.
  private func store(
    _ engine: Engine,
    _ moves: [(year: Int, shop: Int)]
  ) async throws -> (Store, [Shop], Hat) {
    let store = try await makeStore(engine, clock: clock)
    let hat = Hat("red")
    let shops = [Shop(name: "A"), Shop(name: "B")]
    try await store.write(at: year(1990)) { tx in
      for shop in shops { try await tx.save(shop) }
      try await tx.save(hat)
    }
    for move in moves {
      try await store.write(at: year(move.year)) { tx in
        var moved = hat
        moved.shop = shops[move.shop].ref
        try await tx.save(moved)
      }
    }
    return (store, shops, hat)
  }

  /// Expects a hat to refer to a shop in a year, and this shop to be its only owner.
  private func expect(
    _ hat: Hat,
    in shop: Shop?,
    _ date: Date,
    _ store: Store,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let (id, past) = (hat.id.entityID, try store.asOf(date))
    let value = try await past.require(id)["shop"]
    let owners = try await past.relatedIDs(id, .ownedBy)
    let reference = shop.map { Value.reference($0.id.entityID) }
    #expect(value == reference, sourceLocation: sourceLocation)
    #expect(owners == (shop.map { [$0.id.entityID] } ?? []), sourceLocation: sourceLocation)
  }

  private func unrelate(_ hat: Hat, _ shop: Shop, at date: Date) -> Statement {
    { try await $0.unrelate(shop.id.entityID, .owns, hat.id.entityID, named: "hats", at: date) }
  }

  private func refer(_ hat: Hat, to shop: Shop, at date: Date) -> Statement {
    { try await $0.set(hat.id.entityID, "shop", .reference(shop.id.entityID), at: date) }
  }

  @Test(
    arguments: Engine.allCases
  )
  func `an edge removed for the millisecond of its reference takes the reference with it`(
    engine: Engine
  ) async throws {
    let date = Date(timeIntervalSince1970: Double(clock.now) / 1_000)
    let (one, two, shops, hat) = try await pair(engine)
    try await unrelate(hat, shops[0], at: date)(one)
    try await sync(one, two)
    try await expect(hat, in: nil, one, two)
    try await expect(hat, in: nil, date, two)
    try await one.undo(try #require(try await one.log(limit: 1).first).id)
    try await sync(one, two)
    try await expect(hat, in: shops[0], one, two)
    try await expect(hat, in: shops[0], date, two)
  }

  @Test(
    arguments: Engine.allCases,
    [false, true]
  )
  func `an edge removed for a date takes the reference of that date with it`(
    engine: Engine,
    isReversed: Bool
  ) async throws {
    let (store, shops, hat) = try await store(engine, [(2000, 0)])
    let statements = [
      refer(hat, to: shops[1], at: year(2010)), unrelate(hat, shops[0], at: year(2005)),
    ]
    for statement in isReversed ? statements.reversed() : statements { try await statement(store) }
    try await expect(hat, in: shops[0], year(2003), store)
    try await expect(hat, in: nil, year(2006), store)
    try await expect(hat, in: shops[1], year(2011), store)
    try await expect(hat, in: shops[1], store)
    let removal = try #require(try await store.log(limit: 2)[isReversed ? 1 : 0])
    try await store.undo(removal.id)
    try await expect(hat, in: shops[0], year(2006), store)
    try await expect(hat, in: shops[1], store)
  }

  @Test(
    arguments: Engine.allCases,
    [false, true]
  )
  func `an edge removed for a date leaves the other reference of that date`(
    engine: Engine,
    isReversed: Bool
  ) async throws {
    let (store, shops, hat) = try await store(engine, [(2000, 1)])
    let statements = [
      refer(hat, to: shops[0], at: year(2010)), unrelate(hat, shops[0], at: year(2005)),
    ]
    for statement in isReversed ? statements.reversed() : statements { try await statement(store) }
    try await expect(hat, in: shops[1], year(2006), store)
    try await expect(hat, in: shops[0], year(2011), store)
    try await expect(hat, in: shops[0], store)
  }

  @Test(
    arguments: Engine.allCases,
    [false, true]
  )
  func `a reference for an earlier date ends at the date for which its edge was removed`(
    engine: Engine,
    isReversed: Bool
  ) async throws {
    let (store, shops, hat) = try await store(engine, [(2010, 0)])
    let statements = [
      refer(hat, to: shops[0], at: year(2000)), unrelate(hat, shops[0], at: year(2005)),
    ]
    for statement in isReversed ? statements.reversed() : statements { try await statement(store) }
    try await expect(hat, in: shops[0], year(2003), store)
    try await expect(hat, in: nil, year(2006), store)
    try await expect(hat, in: shops[0], year(2011), store)
    try await expect(hat, in: shops[0], store)
  }

  @Test(
    arguments: Engine.allCases,
    [false, true]
  )
  func `a reference for a later date outlives the removal of its edge`(
    engine: Engine,
    isReversed: Bool
  ) async throws {
    let (store, shops, hat) = try await store(engine, [(2000, 0)])
    let statements = [
      refer(hat, to: shops[0], at: year(2010)), unrelate(hat, shops[0], at: year(2005)),
    ]
    for statement in isReversed ? statements.reversed() : statements { try await statement(store) }
    try await expect(hat, in: shops[0], year(2003), store)
    try await expect(hat, in: nil, year(2006), store)
    try await expect(hat, in: shops[0], year(2011), store)
    try await expect(hat, in: shops[0], store)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `a relation stated for a date at which the reference says it is not added beside it`(
    engine: Engine
  ) async throws {
    let (store, shops, hat) = try await store(engine, [(2000, 0), (2010, 1)])
    let (shop, id) = (shops[0].id.entityID, hat.id.entityID)
    try await store.relate(shop, .owns, id, named: "hats", at: year(2005))
    try await expect(hat, in: shops[0], year(2006), store)
    try await expect(hat, in: shops[1], year(2011), store)
    try await expect(hat, in: shops[1], store)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `a root made for a date before its reference loses the reference, too`(engine: Engine)
    async throws
  {
    let (store, shops, hat) = try await store(engine, [(2000, 0), (2010, 1)])
    try await store.write { _ = try await $0.makeRoot(hat.id.entityID, at: self.year(2005)) }
    try await expect(hat, in: nil, store)
    try await expect(hat, in: shops[0], year(2003), store)
    try await expect(hat, in: nil, year(2011), store)
  }
}

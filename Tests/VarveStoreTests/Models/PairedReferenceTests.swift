import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("A reference and its edge are one fact")
struct PairedReferenceTests {
  let clock = TestClock()

  func sync(_ stores: Store...) async throws {
    clock.advance(by: 5)
    for _ in 0..<2 {
      for one in stores { for two in stores where two !== one { try await two.merge(from: one) } }
    }
    clock.advance(by: 5)
  }

  /// Two copies with three shops and a hat of the first.
  func pair(_ engine: Engine) async throws -> (Store, Store, [Shop], Hat) {
    let one = try await makeStore(engine, clock: clock)
    let two = try await makeStore(engine, clock: clock)
    let shops = try await one.save([Shop(name: "A"), Shop(name: "B"), Shop(name: "C")])
    let hat = try await one.save(Hat("red", shop: shops[0].ref))
    try await sync(one, two)
    return (one, two, shops, hat)
  }

  func owners(of hat: Hat, in store: Store) async throws -> [EntityID] {
    try await store.relatedIDs(hat.id.entityID, .ownedBy)
  }

  /// Expects the hat to be in a shop in every store, and this shop to be its only owner.
  func expect(_ hat: Hat, in shop: Shop?, _ stores: Store...) async throws {
    for store in stores {
      #expect(try await store.find(hat.id)?.shop?.id == shop?.id)
      #expect(try await owners(of: hat, in: store) == (shop.map { [$0.id.entityID] } ?? []))
      #expect(try await store.issues(of: Hat.self).isEmpty)
      #expect(try await store.disagreements().isEmpty)
      #expect(try await store.check().findings == [])
    }
  }

  @Test(arguments: Engine.allCases)
  func `whose order an equal reference leaves as it is`(engine: Engine) async throws {
    let (one, two, shops, hat) = try await pair(engine)
    let other = try await one.save(Hat("blue", shop: shops[0].ref))
    let owned = [hat.id.entityID, other.id.entityID]
    let reference = Value.reference(shops[0].id.entityID)
    let later = Date(timeIntervalSince1970: Double(clock.now) / 1_000 + 60)
    try await one.set(owned[0], "shop", reference)
    #expect(try await one.relatedIDs(shops[0].id.entityID, .owns) == owned)
    try await one.set(owned[0], "shop", reference, at: later)
    try await sync(one, two)
    #expect(try await two.relatedIDs(shops[0].id.entityID, .owns) == owned)
    try await one.set(owned[0], "shop", .reference(shops[1].id.entityID))
    try await one.set(owned[0], "shop", reference)
    #expect(try await one.relatedIDs(shops[0].id.entityID, .owns) == owned.reversed())
  }

  @Test(arguments: Engine.allCases)
  func `after concurrent changes, in every copy, until it is moved`(engine: Engine) async throws {
    var (one, two, shops, hat) = try await pair(engine)
    hat.shop = shops[1].ref
    try await one.save(hat)
    clock.advance(by: 5)
    hat.shop = shops[2].ref
    try await two.save(hat)
    try await sync(one, two)
    try await expect(hat, in: shops[2], one, two)
    let conflict = try #require(try await one.conflicts().first { $0.key == "shop" })
    try await one.resolve(conflict, by: .version(1))
    try await sync(one, two)
    try await expect(hat, in: shops[1], one, two)
    hat = try #require(try await two.find(hat.id))
    hat.shop = shops[0].ref
    try await two.save(hat)
    try await sync(one, two)
    try await expect(hat, in: shops[0], one, two)
    try await one.erase(shops[1])
    try await one.erase(shops[2])
    try await sync(one, two)
    try await expect(hat, in: shops[0], one, two)
    #expect(Set(try await one.erase(shops[0])) == [shops[0].id.entityID, hat.id.entityID])
    try await sync(one, two)
    #expect(try await two.find(hat.id) == nil)
  }

  @Test(arguments: [true, false])
  func `if one copy removes it and the other moves it`(isMoveLater: Bool) async throws {
    var (one, two, shops, hat) = try await pair(.memory)
    let (first, second) = isMoveLater ? (one, two) : (two, one)
    if isMoveLater {
      hat.shop = nil
      try await first.save(hat)
      clock.advance(by: 5)
      hat.shop = shops[1].ref
      try await second.save(hat)
    } else {
      hat.shop = shops[1].ref
      try await first.save(hat)
      clock.advance(by: 5)
      hat.shop = nil
      try await second.save(hat)
    }
    try await sync(one, two)
    try await expect(hat, in: isMoveLater ? shops[1] : nil, one, two)
  }

  @Test(arguments: Engine.allCases)
  func `when dynamic calls write it, now and for earlier times`(engine: Engine) async throws {
    let (one, two, shops, hat) = try await pair(engine)
    let id = hat.id.entityID
    try await one.set(id, "shop", .reference(shops[1].id.entityID))
    try await sync(one, two)
    try await expect(hat, in: shops[1], one, two)
    let past = Date(timeIntervalSince1970: Double(clock.now) / 1_000 - 3_600)
    try await two.write { try await $0.set(id, "shop", .reference(shops[2].id.entityID), at: past) }
    try await sync(one, two)
    try await expect(hat, in: shops[1], one, two)
    try await one.write { try await $0.remove(id, "shop") }
    try await sync(one, two)
    try await expect(hat, in: nil, one, two)
    try await two.update(id, ["shop": .reference(shops[0].id.entityID)])
    try await sync(one, two)
    try await expect(hat, in: shops[0], one, two)
  }

  @Test(arguments: Engine.allCases)
  func `in past states, differences and undone commits`(engine: Engine) async throws {
    var (one, two, shops, hat) = try await pair(engine)
    let before = try await one.frontier()
    hat.shop = shops[1].ref
    try await one.save(hat)
    hat.shop = shops[2].ref
    clock.advance(by: 5)
    try await two.save(hat)
    let middle = try await one.frontier()
    try await sync(one, two)
    let id = hat.id.entityID
    for (moment, shop) in [(before, shops[0]), (middle, shops[1])] {
      let view = one.asOf(moment)
      #expect(try await view.relatedIDs(id, .ownedBy) == [shop.id.entityID])
    }
    let changed = try await one.diff(from: .frontier(middle)).changed
    let lost = changed.first { $0.id == shops[1].id.entityID }
    #expect(lost?.unrelated.map(\.target) == [id])
    let move = try #require(
      try await one.history(of: id, "shop").first { $0.value == .reference(shops[2].id.entityID) }
    )
    try await one.undo(move.commit.id)
    try await sync(one, two)
    try await expect(hat, in: shops[1], one, two)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `when its edge is removed directly, the reference is removed too`(engine: Engine)
    async throws
  {
    let (one, two, shops, hat) = try await pair(engine)
    try await one.write {
      try await $0.unrelate(hat.id.entityID, .ownedBy, shops[0].id.entityID, named: "hats")
    }
    try await sync(one, two)
    try await expect(hat, in: nil, one, two)
    let commit = try #require(try await one.log(limit: 1).first)
    try await one.undo(commit.id)
    try await sync(one, two)
    try await expect(hat, in: shops[0], one, two)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `disagreeing edges of older stores are listed, and settled by one call`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine, clock: clock)
    let shops = try await store.save([Shop(name: "A"), Shop(name: "B")])
    let hats = try await store.save([Hat("red"), Hat("blue")])
    let id = hats[0].id.entityID
    try await store.write { tx in
      for hat in hats {
        try await tx.set(hat.id.entityID, "shop", .reference(shops[1].id.entityID))
        for shop in shops {
          try await tx.relate(shop.id.entityID, .owns, hat.id.entityID, named: "hats")
        }
      }
    }
    let found = try await store.issues(of: Hat.self).compactMap { issue in
      if case .disagreement(let disagreement) = issue { disagreement } else { nil }
    }
    #expect(found.map(\.entity) == hats.map(\.id.entityID))
    #expect(found.first?.reference == shops[1].id.entityID)
    #expect(Set(found.first?.related ?? []) == Set(shops.map(\.id.entityID)))
    let first = try #require(found.first)
    #expect(try await store.write { try await $0.reconcile(first) })
    #expect(try await store.relatedIDs(id, .ownedBy) == [shops[1].id.entityID])
    // Saving the other moves its edges as well.
    let other = try #require(try await store.find(hats[1].id))
    try await store.save(other)
    try await expect(hats[1], in: shops[1], store)
    try await store.erase(shops[0])
    #expect(try await store.fetch(Hat.all).count == 2)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `whose edge two copies removed keeps it removed when one removal is undone`(engine: Engine)
    async throws
  {
    let (one, two, shops, hat) = try await pair(engine)
    let (shop, id) = (shops[0].id.entityID, hat.id.entityID)
    try await one.erase(shop)
    try await sync(one, two)
    try await one.restore(id, .asRoot)
    let removal = try #require(try await one.log(limit: 1).first)
    try await two.restore(id, .asRoot)
    let other = try #require(try await two.log(limit: 1).first)
    try await sync(one, two)
    try await one.restore(shop)
    let report = try await one.undo(removal.id)
    #expect(report.related.isEmpty)
    #expect(report.skipped.contains { $0.edge?.target == id && $0.changedBy == other })
    #expect(try await owners(of: hat, in: one).isEmpty)
  }

  @Test
  func `a paired edge that no longer counts is listed while the target of its reference lives`()
    async throws
  {
    let (one, two, shops, hat) = try await pair(.memory)
    let id = hat.id.entityID
    try await one.erase(shops[0])
    try await one.write { _ = try await $0.restore(id, .asRoot) }
    #expect(try await one.disagreements().isEmpty)
    try await one.write { _ = try await $0.restore(shops[0].id.entityID) }
    let found = try await one.disagreements()
    #expect(found.map(\.entity) == [id])
    #expect(found.first?.related == [])
    #expect(try await one.write { try await $0.reconcile(id, "shop") })
    try await sync(one, two)
    try await expect(hat, in: shops[0], one, two)
  }

  @Test func `an element that stays keeps its ownership, despite concurrent changes of the list`()
    async throws
  {
    let one = try await makeStore(.memory, clock: clock)
    let two = try await makeStore(.memory, clock: clock)
    let pages = (1...3).map { Page(number: $0) }
    try await one.save(pages)
    var book = try await one.save(Book(pages: Many(ids: pages.map(\.id))))
    try await sync(one, two)
    book.pages = Many(ids: [pages[1].id, pages[2].id])
    try await one.save(book)
    book.pages = Many(ids: [pages[1].id, pages[2].id, pages[0].id])
    try await two.save(book)
    try await sync(one, two)
    for store in [one, two] {
      let held = Set(try await store.collection(of: book.id.entityID, "pages") ?? [])
      let owned = Set(try await store.relatedIDs(book.id.entityID, .owns))
      #expect(held == Set(pages.map(\.id.entityID)))
      #expect(owned == held)
    }
    book.pages = Many(ids: [])
    try await one.save(book)
    try await sync(one, two)
    #expect(try await two.relatedIDs(book.id.entityID, .owns) == [])
  }
}

private struct Page: Persistable {
  static let schema = Schema<Page>("pages") { SchemaField("number", \.number) }

  var id = Identifier<Page>()
  var number: Int

  init(number: Int) { self.number = number }

  init(row: EntityRow) throws {
    id = try row.id()
    number = try row.read(0)
  }

  func write(to values: inout PropertyValues) throws { try values.append(number) }
}

private struct Book: Persistable {
  static let schema = Schema<Book>("books") {
    SchemaField("pages", \.pages, .relation(.owns))
  }

  var id = Identifier<Book>()
  var pages = Many<Page>()

  init(pages: Many<Page>) { self.pages = pages }

  init(row: EntityRow) throws { id = try row.id() }

  func write(to values: inout PropertyValues) throws {}
}

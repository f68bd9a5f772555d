import Foundation
import Testing
import Varve

/// Every call that takes the key path of a property takes one of every kind that can be a property.
@Suite("Properties of every kind")
struct KindQueryTests {
  /// Requires that every reading call returns the value that a model has.
  private func expectRead<Model: Persistable, V: Equatable & Sendable>(
    _ keyPath: KeyPath<Model, V>,
    of model: Model,
    in store: Store
  ) async throws {
    let value = model[keyPath: keyPath]
    let query = Model.all.where(["text": .string("here")])
    #expect(try await store.fetch(query.select(keyPath)) == [value], "\(keyPath)")
    #expect(try await store.fetch(query.select(keyPath, \.id)).map(\.0) == [value], "\(keyPath)")
    #expect(try await store.fetch(query.distinct.select(keyPath)) == [value], "\(keyPath)")
    let read = try await store.values(of: model.id, keyPath)
    #expect(read == value, "\(keyPath)")
    let pair = try await store.values(of: model.id, keyPath, keyPath)
    #expect(pair?.1 == value, "\(keyPath)")
    let groups = try await store.aggregate(query, by: keyPath, .count)
    #expect(groups.map(\.key) == [value], "\(keyPath)")
    let pairs = try await store.aggregate(query.grouped(by: keyPath, keyPath), .count)
    #expect(pairs.map(\.keys.0) == [value] && pairs.map(\.values) == [1], "\(keyPath)")
    let versions = try await store.history(of: model, keyPath)
    if versions.isEmpty {
      #expect("\(value)" == "nil", "\(keyPath)")
    } else {
      #expect(versions.map(\.value) == [value], "\(keyPath)")
    }
  }

  @Test func `properties of every kind are selected, grouped by and have a history`() async throws {
    let store = try await Store.open(.inMemory)
    var sample = try Required.sample()
    sample.text = "here"
    try await store.save(sample)
    try await expectRead(\Required.text, of: sample, in: store)
    try await expectRead(\Required.flag, of: sample, in: store)
    try await expectRead(\Required.int, of: sample, in: store)
    try await expectRead(\Required.small, of: sample, in: store)
    try await expectRead(\Required.unsigned, of: sample, in: store)
    try await expectRead(\Required.double, of: sample, in: store)
    try await expectRead(\Required.float, of: sample, in: store)
    try await expectRead(\Required.date, of: sample, in: store)
    try await expectRead(\Required.data, of: sample, in: store)
    try await expectRead(\Required.uuid, of: sample, in: store)
    try await expectRead(\Required.url, of: sample, in: store)
    try await expectRead(\Required.decimal, of: sample, in: store)
    try await expectRead(\Required.color, of: sample, in: store)
    try await expectRead(\Required.size, of: sample, in: store)
    try await expectRead(\Required.tint, of: sample, in: store)
    try await expectRead(\Required.band, of: sample, in: store)
    try await expectRead(\Required.texts, of: sample, in: store)
    try await expectRead(\Required.tints, of: sample, in: store)
    try await expectRead(\Required.sizes, of: sample, in: store)
    try await expectRead(\Required.bands, of: sample, in: store)
    try await expectRead(\Required.numbers, of: sample, in: store)
    try await expectRead(\Required.prices, of: sample, in: store)
    try await expectRead(\Required.nested, of: sample, in: store)
    try await expectRead(\Required.value, of: sample, in: store)
    try await expectRead(\Required.entity, of: sample, in: store)
    try await expectRead(\Required.other, of: sample, in: store)
    try await expectRead(\Required.reference, of: sample, in: store)
  }

  @Test(arguments: [true, false])
  func `are so too if they are optional, with a value and without`(isFull: Bool) async throws {
    let store = try await Store.open(.inMemory)
    var sample = Optionals()
    sample.text = "here"
    if isFull {
      let full = try Required.sample()
      (sample.int, sample.double, sample.date) = (full.int, full.double, full.date)
      (sample.uuid, sample.url, sample.decimal) = (full.uuid, full.url, full.decimal)
      (sample.color, sample.size, sample.tint) = (full.color, full.size, full.tint)
      (sample.band, sample.sizes, sample.bands) = (full.band, full.sizes, full.bands)
      (sample.numbers, sample.prices, sample.value) = (full.numbers, full.prices, full.value)
      (sample.entity, sample.reference) = ("e-1", Ref("r-1"))
    }
    try await store.save(sample)
    try await expectRead(\Optionals.int, of: sample, in: store)
    try await expectRead(\Optionals.double, of: sample, in: store)
    try await expectRead(\Optionals.date, of: sample, in: store)
    try await expectRead(\Optionals.uuid, of: sample, in: store)
    try await expectRead(\Optionals.url, of: sample, in: store)
    try await expectRead(\Optionals.decimal, of: sample, in: store)
    try await expectRead(\Optionals.color, of: sample, in: store)
    try await expectRead(\Optionals.size, of: sample, in: store)
    try await expectRead(\Optionals.tint, of: sample, in: store)
    try await expectRead(\Optionals.band, of: sample, in: store)
    try await expectRead(\Optionals.sizes, of: sample, in: store)
    try await expectRead(\Optionals.bands, of: sample, in: store)
    try await expectRead(\Optionals.numbers, of: sample, in: store)
    try await expectRead(\Optionals.prices, of: sample, in: store)
    try await expectRead(\Optionals.value, of: sample, in: store)
    try await expectRead(\Optionals.entity, of: sample, in: store)
    try await expectRead(\Optionals.reference, of: sample, in: store)
  }

  @Test func `properties of every kind are compared in conditions, also inside of others`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    let sample = try await store.save(try Required.sample())
    func count(_ condition: (ModelColumns<Required>) -> Condition) async throws -> Int {
      try await store.count(Required.where(condition))
    }
    #expect(try await count { $0.color == .blue && $0.size == .large && $0.tint == .deep } == 1)
    #expect(try await count { $0.color != .blue || $0.size.isIn([.small]) } == 0)
    #expect(try await count { $0.size.isIn([.small, .large]) && !$0.color.isIn([.red]) } == 1)
    #expect(try await count { $0.sizes.includes(.large) && $0.tints.includes(.pale) } == 1)
    #expect(try await count { $0.sizes.includes(.small) } == 0)
    #expect(try await count { $0.bands[0, as: Band.self]["note", as: String.self] == "x" } == 1)
    #expect(try await count { $0.sizes[0, as: Size.self] == .large } == 1)
    #expect(try await count { $0.sizes[0, as: Size.self] == .small } == 0)
    let rows = try await store.fetch(Required.all.select(\.color, \.size, \.band))
    #expect(rows.map(\.0) == [.blue] && rows.map(\.1) == [.large])
    #expect(rows.map(\.2) == [sample.band])
  }

  @Test func `properties of every kind are read from entities whose model is not known`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    let sample = try await store.save(try Required.sample())
    let entity = try await store.require(sample.id.entityID)
    let (color, size): (Color, Size?) = (try entity.read("color"), try entity.read("size"))
    #expect(color == .blue && size == .large)
    let none: Color? = try entity.read("shade")
    #expect(none == nil)
    #expect(throws: VarveError.self) { let _: Color = try entity.read("shade") }
    #expect(throws: VarveError.self) { let _: Color = try entity.read("text") }
    #expect(try entity.read("tint", as: Tint.self) == .deep)
  }

  @Test func `are grouped by without optionals, so rows without a value are left out`() async throws
  {
    let store = try await Store.open(.inMemory)
    let sample = try await store.save(try Required.sample())
    try await store.create("requireds", ["text": "no color"])
    try await store.create("requireds", ["color": "mauve", "size": 9])
    let colors: [Color] = try await store.aggregate(Required.all, by: \.color, .count).map(\.key)
    #expect(colors == [.blue])
    let groups = try await store.aggregate(Required.all.grouped(by: \.size, \.text), .count)
    let keys: [(Size, String)] = groups.map(\.keys)
    #expect(keys.map(\.0) == [.large] && keys.map(\.1) == [sample.text])
    let maybe = try await store.aggregate(Optionals.all, by: \.color, .count)
    #expect(maybe.isEmpty)
  }

  @Test func `are refused as keys if the store refuses unreadable rows`() async throws {
    var configuration = Store.Configuration()
    configuration.unreadableRows = .refuse
    let store = try await Store.open(.inMemory, configuration: configuration)
    try await store.create("requireds", ["text": "no color"])
    func code(_ body: () async throws -> Void) async -> VarveError? {
      do {
        try await body()
        return nil
      } catch { return error as? VarveError }
    }
    let missing = await code { _ = try await store.aggregate(Required.all, by: \.color, .count) }
    #expect(missing?.code == .missingField && missing?.property == "color")
    try await store.create("requireds", ["color": "mauve"])
    let groups = Required.where { !$0.color.isMissing }.grouped(by: \.color)
    let other = await code { _ = try await store.aggregate(groups, .count) }
    #expect(other?.code == .fieldType && other?.property == "color")
  }

  @Test func `properties of every kind must be stored ones`() async throws {
    let store = try await Store.open(.inMemory)
    let shop = try await store.save(Shop(name: "Fedora"))
    func code(_ body: () async throws -> Void) async -> VarveError.Code? {
      do {
        try await body()
        return nil
      } catch { return (error as? VarveError)?.code }
    }
    #expect(
      await code { _ = try await store.fetch(Shop.all.select(\.hats)) } == .unknownProperty
    )
    #expect(
      await code { _ = try await store.values(of: shop.id, \.hats) } == .unknownProperty
    )
    #expect(
      await code { _ = try await store.history(of: shop, \.hats) } == .unknownProperty
    )
    #expect(
      await code { _ = try await store.aggregate(Shop.all, by: \.hats, .count) } == .unknownProperty
    )
    #expect(
      await code { _ = try await store.aggregate(Hat.all, .count(\.initial)) } == .unknownProperty
    )
    let groups = Hat.all.grouped(by: \.color).having(.countDistinct(\.initial) > 1)
    #expect(await code { _ = try await store.aggregate(groups, .count) } == .unknownProperty)
    #expect(
      await code { _ = try await store.count(Shop.where { $0.hats == Many() }) } == .unknownProperty
    )
    #expect(
      await code { _ = try await store.count(Hat.where { $0.initial == "r" }) }
        == .unknownProperty
    )
  }
}

extension Hat {
  /// A property that is not stored.
  fileprivate var initial: String { String(color.prefix(1)) }
}

import Foundation
import Testing
import Varve

@Suite("Models made by macros")
struct ModelTests {
  @Test func `models made by macros are named after their structs, or as declared`() {
    #expect(Hat.entityType == "hats")
    #expect(Library.Book.entityType == "books")
    #expect(Library.Author.entityType == "writers")
    #expect(Library.Author.foreignKeyName == "writer_id")
  }

  @Test func `models made by macros are found, narrowed, ordered, limited`() async throws {
    let store = try await Store.open(.inMemory)
    try await store.save((5...9).map { Hat(color: $0 == 7 ? "blue" : "red", brimSize: $0) })
    let red = Hat.where { $0.color == "red" && $0.brimSize > 5 }.order(
      by: \.brimSize,
      descending: true
    )
    #expect(try await store.fetch(red.limit(2)).map(\.brimSize) == [9, 8])
    #expect(try await store.count(red) == 3)
    let hat = try #require(try await store.first(red))
    #expect(try await store.find(hat.id) == hat)
  }

  @Test func `models made by macros get the dates of their first and their last save`() async throws
  {
    let store = try await Store.open(.inMemory)
    var hat = try await store.save(Hat(color: "red", brimSize: 7))
    let created = try #require(hat.createdAt)
    hat.color = "blue"
    hat = try await store.save(hat)
    #expect(hat.createdAt == created)
    #expect(try #require(hat.updatedAt) >= created)
    #expect(try await store.require(hat.id).updatedAt == hat.updatedAt)
  }

  @Test func `models made by macros are refused if they violate the rules of their properties`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    func errors(_ model: some Persistable) async -> [String: [String]] {
      do {
        try await store.save(model)
      } catch let error as VarveError {
        let errors = error.violations
        return Dictionary(grouping: errors, by: \.key).mapValues { $0.map(\.message) }
      } catch {
        return ["other": ["\(error)"]]
      }
      return [:]
    }
    #expect(await errors(Hat(color: "red", brimSize: 7)) == [:])
    #expect(await errors(Hat(color: "", brimSize: 4)).keys.sorted() == ["brim_size", "color"])
    #expect(await errors(Hat(color: "red", brimSize: 7)).count > 0)
    #expect(await errors(Hat(color: "red", brimSize: 8)) == [:])
    #expect(await errors(Library.Book(pages: 2)) == ["pages": ["odd"]])
  }

  @Test func `models made by macros relate to many, by an inverse or by a list`() async throws {
    let store = try await Store.open(.inMemory)
    var shop = try await store.save(Shop(name: "Fedora & Sons"))
    let red = try await store.save(Hat(color: "red", brimSize: 7, shop: shop.ref))
    let blue = try await store.save(Hat(color: "blue", brimSize: 7))
    #expect(shop.hats.ids == nil)
    shop.shelf = [blue, red]
    shop.hats = [red, blue]
    try await store.save(shop)

    let all = Shop.all.with(\.hats) { $0.order(by: \.color) }.with(\.shelf)
    shop = try #require(try await store.first(all))
    #expect(shop.hats.loaded?.map(\.color) == ["blue", "red"])
    #expect(shop.shelf.ids == [blue.id, red.id])
    let hats = try await store.fetch(Hat.all.with(\.shop))
    #expect(hats.map { $0.shop?.loaded?.name } == ["Fedora & Sons", "Fedora & Sons"])

    try await store.save(Shop(name: "nothing loaded, nothing lost"))
    #expect(try await store.erase(shop).count == 3)
  }

  @Test func `models made by macros can be nested in other types and use their names`() async throws
  {
    let store = try await Store.open(.inMemory)
    let author = try await store.save(Library.Author(name: "Ada"))
    let book = try await store.save(Library.Book(genre: .verse, author: author.ref))
    let other = try await store.save(Library.Book(sequel: book.ref))
    #expect(try await store.require(book.id).genre == .verse)
    #expect(try await store.require(other.id).sequel?.id == book.id)
    #expect(try await store.require(other.id).shelf == 3)
    let found = try await store.first(Library.Author.all.with(\.books))
    #expect(found?.books.ids == [book.id])
    #expect(try await store.erase(author).count == 2)
  }

  @Test func `models made by macros may use every word`() async throws {
    let store = try await Store.open(.inMemory)
    let words = Words(
      default: 1,
      init: 2,
      row: 3,
      values: 4,
      schema: 5,
      write: 6,
      datestamp: 7,
      type: 8,
      key: 9,
      size: 10,
      quoted: 11
    )
    try await store.save(words)
    let read = try await store.require(words.id)
    var numbers: [Int] = [
      read.default, read.`init`, read.row, read.values, read.schema, read.write,
    ]
    numbers += [read.datestamp, read.type, read.key, read.size, read.quoted]
    #expect(numbers == Array(1...11))
    let entity = try await store.require(words.id.entityID)
    #expect(entity["a \"b\"\\"] == 11)
    #expect(entity["datestamp"] == 7)
    #expect(try await store.count(Words.where { $0.type == 8 && $0.quoted == 11 }) == 1)
  }

  @Test func `store the settable properties, and nothing else`() async throws {
    let store = try await Store.open(.inMemory)
    var model = Oddities(given: 4, forced: 6, wrapped: 7)
    model.watched = 2
    #expect(model.changes == 1)
    try await store.save(model)
    let keys = try await store.require(model.id.entityID).properties.keys.map(\.text).sorted()
    #expect(keys == ["forced", "given", "guarded", "watched", "wrapped"])
    var read = try await store.require(model.id)
    let numbers: [Int] = [read.watched, read.changes, read.given, read.forced, read.wrapped]
    #expect(numbers == [2, 0, 4, 6, 7])
    #expect(read.later == 5)
  }

  @Test func `may be named like types of Varve, and declare their conformance`() async throws {
    let store = try await Store.open(.inMemory)
    let schema = try await store.save(Clashes.Schema(name: "a"))
    let declared = try await store.save(Declared(name: "b"))
    #expect(try await store.require(schema.id).name == "a")
    #expect(try await store.require(declared.id).name == "b")
  }
}

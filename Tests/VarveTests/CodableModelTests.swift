import Foundation
import Testing
import Varve

@Suite("A model that is Codable")
struct CodableModelTests {
  private let encoder: JSONEncoder
  private let decoder: JSONDecoder

  init() {
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    encoder.dateEncodingStrategy = .iso8601
    decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
  }

  @Test func `encodes whole: relations as identifiers, dates as the encoder writes them`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    let shop = Shop(id: "s", name: "x")
    let hat = Hat(color: "red", brimSize: 8)
    var crate = Crate(id: "c", label: "a", shop: shop.ref, hats: [hat])
    crate.packed = Date(timeIntervalSince1970: 0)
    try await store.save(shop)
    try await store.save(hat)
    try await store.save(crate)
    let read = try #require(try await store.first(Crate.all.with(\.shop).with(\.hats)))
    let json = String(decoding: try encoder.encode(read), as: UTF8.self)
    #expect(
      json == #"{"hats":["\#(hat.id)"],"id":"c","isOpen":false,"label":"a","#
        + #""packed":"1970-01-01T00:00:00Z","shop":"s","weight":1.5}"#
    )
    let back = try decoder.decode(Crate.self, from: Data(json.utf8))
    #expect(back == read)
    #expect(back.shop?.loaded == nil)
  }

  @Test func `that was sent back and saved writes what was changed, and nothing else`() async throws
  {
    let store = try await Store.open(.inMemory)
    let hat = Hat(color: "red", brimSize: 8)
    try await store.save(hat)
    try await store.save(Crate(id: "c", label: "a", hats: [hat]))
    let read = try #require(try await store.find("c" as Identifier<Crate>))
    var back = try decoder.decode(Crate.self, from: encoder.encode(read))
    let before = try await store.log().count
    try await store.save(back)
    #expect(try await store.log().count == before)
    back.label = "b"
    try await store.save(back)
    #expect(try await store.collection(of: "c", "hats") == [hat.id.entityID])
    #expect(try await store.find("c" as Identifier<Crate>)?.label == "b")
  }
}

import Foundation
import Testing
import Varve

@Entity struct Parcel: Codable, Equatable {
  var id = Identifier<Parcel>()
  var label: String
  var packed: Date?
  @Relation(as: .list) var hats: Many<Hat> = Many()
}

@MainActor
@Suite("The examples of showing and sending behave as documented")
struct LiveExampleTests {
  @Test func `showing results, now and in the past`() async throws {
    let store = try await Store.open(.inMemory)
    let date = Date(timeIntervalSince1970: 0)
    let hat = try await store.save(Hat(color: "red", brimSize: 12))
    // snippet: Sources/VarveStore/VarveStore.docc/ShowingResults.md
    let hats = LiveResults(Hat.where { $0.brimSize > 7 }.order(by: \.color), in: store)
    let count = LiveValue(of: Hat.all, in: store) { try await $0.count($1) }
    let red = LiveEntity(hat.id, in: store)
    try await hats.settle()
    print(hats.models.map(\.color))
    // end
    try await count.settle()
    try await red.settle()
    #expect(hats.models == [hat] && count.value == 1 && red.model == hat)
    // snippet: Sources/VarveStore/VarveStore.docc/ShowingResults.md
    let byColor = LiveSections(Hat.all.order(by: \.brimSize), by: \.color, in: store)
    let pages = LivePages(Hat.all.order(by: \.color), in: store, pageSize: 50)
    try await byColor.settle()
    try await pages.settle()
    for section in byColor.sections { print(section.key, section.count, section.models.count) }
    if let last = pages.models.last { pages.loadMore(near: last) }
    // end
    #expect(byColor.sections.map(\.count) == [1] && pages.models == [hat])
    // snippet: Sources/VarveStore/VarveStore.docc/ShowingResults.md
    pages.applying = { change in change() }  // in a view: withAnimation { change() }
    // end
    // snippet: Sources/VarveStore/VarveStore.docc/ShowingResults.md
    hats.moment = try .at(date)
    try await hats.settle()
    hats.moment = .now
    // end
    #expect(hats.models.isEmpty)
    try await hats.settle()
    #expect(hats.models == [hat])
    // snippet: Sources/VarveStore/VarveStore.docc/ShowingResults.md
    let sample = Store.preview { store in
      try await store.save([Hat(color: "red", brimSize: 8), Hat(color: "blue", brimSize: 9)])
    }
    // end
    #expect(try await sample.count(Hat.all) == 2)
  }

  @Test func `sending models, pages and history`() async throws {
    let store = try await Store.open(.inMemory)
    let hat = try await store.save(Hat(color: "red", brimSize: 12))
    try await store.save(Hat(color: "blue", brimSize: 12))
    let parcel = try await store.save(Parcel(label: "a", hats: [hat]))
    // snippet: Sources/VarveStore/VarveStore.docc/SendingModels.md
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let json = try encoder.encode(try await store.fetch(Parcel.all.with(\.hats)))
    let parcels = try JSONDecoder().decode([Parcel].self, from: json)
    // end
    #expect(parcels.map(\.id) == [parcel.id] && parcels.first?.hats.ids == [hat.id])
    // snippet: Sources/VarveStore/VarveStore.docc/SendingModels.md
    let page = try await store.page(of: Hat.all.order(by: \.color), size: 1)
    let text = page.next?.text ?? ""
    let rest = try await store.page(
      of: Hat.all.order(by: \.color),
      size: 10,
      after: try PageMark(text)
    )
    // end
    #expect(rest.models == [hat])
    // snippet: Sources/VarveStore/VarveStore.docc/SendingModels.md
    let history = try JSONEncoder().encode(try await store.history(of: hat.id.entityID))
    let versions = try JSONDecoder().decode([Version].self, from: history)
    // end
    #expect(try await store.history(of: hat.id.entityID) == versions)
  }
}

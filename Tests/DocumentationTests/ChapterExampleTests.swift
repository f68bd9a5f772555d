import Foundation
import Testing
import Varve
import VarveJSON

// snippet: Sources/VarveStore/VarveStore.docc/TestingYourCode.md
@Entity struct Loan {
  var id = Identifier<Loan>()
  @Field(.required) var book: String
  var isReturned = false
}

struct Library {
  let store: Store

  func lend(_ book: String, to reader: String) async throws -> Loan {
    try await store.as(reader).save(Loan(book: book))
  }

  func open() async throws -> [Loan] {
    try await store.fetch(Loan.where { $0.isReturned == false }.order(by: \.book))
  }
}
// end

@Suite struct ChapterExampleTests {
  private let folder = NSTemporaryDirectory() + "varve-chapters-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  // snippet: Sources/VarveStore/VarveStore.docc/TestingYourCode.md
  @Test func `a lent book is open, and its reader is known`() async throws {
    let library = Library(store: try await Store.open(.inMemory))
    let loan = try await library.lend("Hats", to: "ana")
    #expect(try await library.open().map(\.book) == ["Hats"])
    #expect(try await library.store.history(of: loan, \.book).map(\.author) == ["ana"])
  }
  // end

  // snippet: Sources/VarveStore/VarveStore.docc/TestingYourCode.md
  @Test func `two copies agree about a loan that both changed`() async throws {
    let desk = Library(store: try await Store.open(.inMemory))
    let loan = try await desk.lend("Hats", to: "ana")
    let van = Library(store: try await Store.open(.inMemory))
    try await van.store.sync(with: desk.store)
    try await desk.store.update(loan.id) { $0.set(\.isReturned, true) }
    try await van.store.update(loan.id) { $0.set(\.book, "Hats, second volume") }
    try await van.store.sync(with: desk.store)
    #expect(try await desk.store.require(loan.id).book == "Hats, second volume")
    #expect(try await van.open().isEmpty)
    #expect(try await van.store.conflicts().isEmpty)  // they changed different properties
  }
  // end

  // snippet: Sources/VarveStore/VarveStore.docc/TestingYourCode.md
  @Test func `a loan of last month can be read as it was`() async throws {
    let store = try await Store.open(.inMemory)
    let lastMonth = Date(timeIntervalSinceNow: -30 * 86_400)
    let loan = try await store.write(at: lastMonth) { tx in try await tx.save(Loan(book: "Caps")) }
    try await store.update(loan.id) { $0.set(\.isReturned, true) }
    let then = try await store.asOf(lastMonth.addingTimeInterval(86_400)).require(loan.id)
    #expect(!then.isReturned)
  }
  // end

  @Test func `sample data, and a faulty write`() async throws {
    // snippet: Sources/VarveStore/VarveStore.docc/TestingYourCode.md
    let sample = Store.preview { store in
      try await store.save([Loan(book: "Hats"), Loan(book: "Caps", isReturned: true)])
    }
    let error = await #expect(throws: VarveError.self) {
      try await sample.save(Loan(book: ""))
    }
    #expect(error?.code == .validationFailed)
    #expect(try await sample.check().isClean)
    // end
  }

  @Test func `a backup, and the way back`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try await Store.open(.file(folder + "/library.varve"))
    let loan = try await store.save(Loan(book: "Hats"))
    // snippet: Sources/VarveStore/VarveStore.docc/BackingUp.md
    let report = try await store.backup(to: folder + "/monday.varve")
    print(report.isClean)  // true
    // end
    try await store.update(loan.id) { $0.set(\.isReturned, true) }
    try await store.purge([loan.id.entityID])
    // snippet: Sources/VarveStore/VarveStore.docc/BackingUp.md
    let monday = try await Store.open(.file(folder + "/monday.varve"))
    let lost = try await monday.fetch(Loan.all)
    // end
    #expect(lost.map(\.book) == ["Hats"])
    let other = try await Store.open(.inMemory)
    // snippet: Sources/VarveStore/VarveStore.docc/BackingUp.md
    let merged = try await other.merge(from: monday)  // a copy with an identity of its own
    print(merged.commitCount)  // 1
    // end
    #expect(merged.commitCount == 1)
    // snippet: Sources/VarveStore/VarveStore.docc/BackingUp.md
    var document: [UInt8] = []
    try await monday.export(.full) { document += $0 }
    // end
    #expect(!document.isEmpty)
    try await monday.close()
    try await store.close()
  }

  @Test func `documents, and documents by a mapping`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (store, copy) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
    try await store.save(Loan(book: "Hats"))
    do {
      // snippet: Sources/VarveJSON/VarveJSON.docc/VarveJSON.md
      var text: [UInt8] = []
      try await store.export(.normalized) { text += $0 }
      let report = try await copy.load(DocumentSource(bytes: text), author: "sam")
      // end
      #expect(report.createdCount == 1)
    }
    let path = folder + "/authors.json"
    try Data(#"{"authors": [{"number": 5, "name": "Ann"}]}"#.utf8)
      .write(to: URL(fileURLWithPath: path))
    // snippet: Sources/VarveJSON/VarveJSON.docc/VarveJSON.md
    let author = Mapping("Author", identifiedBy: "number") {
      Attribute("number")
      Attribute("name")
    }
    var mappings = Mappings([author])
    mappings.roots = [.init(at: "/authors", as: "Author")]
    let report = try await store.import(DocumentSource(file: path), by: mappings)
    // end
    #expect(report.createdCount == 1)
  }
}

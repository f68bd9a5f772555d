import Foundation
import GRDB
import Testing
import Varve
import VarveAdoption

// snippet: Documentation/FromRealm.md
@Entity struct Writer {
  var id = Identifier<Writer>()
  @Field(.unique) var name: String
  @Relation(inverse: \Book.writer) var books: Many<Book> = Many()
}

@Entity struct Book {
  var id = Identifier<Book>()
  @Field(.required) var title: String
  var pages = 0
  var writer: Ref<Writer>?
}
// end

// snippet: Documentation/FromRealm.md
struct OldBook: Codable {
  var id: String
  var title: String
  var pages: Int
  var writer: String?
}
// end

// snippet: Documentation/FromSwiftData.md
@Entity struct Trip {
  var id = Identifier<Trip>()
  var name: String
  var start: Date?
  @Relation(.owns, inverse: \Stop.trip) var stops: Many<Stop> = Many()
}

@Entity struct Stop {
  var id = Identifier<Stop>()
  var place: String
  var trip: Ref<Trip>?
}
// end

// snippet: Documentation/FromCoreData.md
@Entity("Folder") struct Folder {
  var id = Identifier<Folder>()
  var name: String?
}

@Entity("Note") struct Note {
  var id = Identifier<Note>()
  var title: String?
  @Field("writtenat") var writtenAt: Date?
  var folder: Ref<Folder>?
}
// end

// snippet: Documentation/FromFluent.md
@Entity("galaxies") struct Galaxy {
  var id = Identifier<Galaxy>()
  var name: String
  @Relation(.owns, inverse: \Star.galaxy) var stars: Many<Star> = Many()
}

@Entity("stars") struct Star {
  var id = Identifier<Star>()
  var name: String
  @Field("galaxy_id") var galaxy: Ref<Galaxy>?
}
// end

// snippet: Documentation/FromSQLiteData.md
@Entity struct Reminder {
  var id = Identifier<Reminder>()
  var title = ""
  var isDone = false
  var dueDate: Date?
}
// end

@Suite("Data of other libraries is moved as documented")
struct MovingExampleTests {
  private let folder = NSTemporaryDirectory() + "varve-moving-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Makes a database as another program would.
  private func database(_ sql: String) throws -> String {
    let path = folder + "/app.sqlite"
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
    return path
  }

  @Test func `objects of Realm, as JSON`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try await Store.open(.inMemory)
    let exported = """
      [{"id":"65a","title":"Hats","pages":224,"writer":"Ann"},{"id":"65b","title":"Caps","pages":90}]
      """
    // snippet: Documentation/FromRealm.md
    let old = try JSONDecoder().decode([OldBook].self, from: Data(exported.utf8))
    try await store.write(author: "import") { tx in
      for book in old {
        var writer: Writer?
        if let name = book.writer { writer = try await tx.upsert(Writer(name: name), on: \.name) }
        let id = Identifier<Book>(try EntityID("book-\(book.id)"))
        try await tx.save(
          Book(id: id, title: book.title, pages: book.pages, writer: writer?.ref)
        )
      }
    }
    print(try await store.count(Book.all) == old.count)  // true
    // end
    let hats = try await store.require(Identifier<Book>("book-65a"))
    #expect(hats.pages == 224 && hats.title == "Hats")
    #expect(try await store.count(Book.where { $0.writer.name == "Ann" }) == 1)
    // The same once more.
    let before = try await store.frontier()
    try await store.save(hats)
    #expect(try await store.frontier() == before)
    // snippet: Documentation/FromRealm.md
    let writers = try await store.fetch(Writer.all.with(\.books))
    for writer in writers { print(writer.name, writer.books.loaded?.count ?? 0) }  // Ann 1
    // end
    #expect(writers.first?.books.loaded?.map(\.title) == ["Hats"])
    // A reference to an erased entity stays, and leads nowhere until it is restored.
    try await store.erase(writers)
    let left = try await store.fetch(Book.where { $0.title == "Hats" }.with(\.writer))
    #expect(left.first?.writer != nil && left.first?.writer?.loaded == nil)
  }

  @Test func `models of SwiftData, in the application that has both`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try await Store.open(.inMemory)
    let trip = Trip(name: "Bern")
    let (trips, stops) = ([trip], [Stop(place: "Thun", trip: trip.ref)])
    for _ in 1...2 {
      // snippet: Documentation/FromSwiftData.md
      try await store.write(author: "import") { tx in
        guard try await tx.isEmpty(Trip.all) else { return }  // it was moved before
        try await tx.save(trips)
        try await tx.save(stops)
      }
      // end
    }
    #expect(try await store.log().count == 1)
    // snippet: Documentation/FromSwiftData.md
    let moved = try await store.fetch(Trip.all.with(\.stops))
    print(moved.map { "\($0.name): \($0.stops.loaded?.count ?? 0)" })  // ["Bern: 1"]
    // end
    #expect(moved.map { $0.stops.loaded?.map(\.place) ?? [] } == [["Thun"]])
    try await store.erase(moved)
    #expect(try await store.isEmpty(Stop.all))
  }

  @Test func `a file of Core Data`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try database(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
        Z_MAX INTEGER);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Folder', 0, 1), (2, 'Note', 0, 1);
      CREATE TABLE ZFOLDER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZFOLDER INTEGER, ZWRITTENAT TIMESTAMP, ZTITLE VARCHAR);
      INSERT INTO ZFOLDER VALUES (1, 1, 1, 'Home');
      INSERT INTO ZNOTE VALUES (1, 2, 1, 1, 700000000, 'Hats');
      """
    )
    let store = try await Store.open(.inMemory)
    // snippet: Documentation/FromCoreData.md
    let plan = try AdoptionPlan(sqlite: path)
    for table in plan.tables { print(table.name, "becomes", table.type) }  // ZFOLDER becomes Folder
    let report = try await store.adopt(sqlite: path, by: plan)
    print(report.createdCount, plan.omissions)  // 2 []

    let notes = try await store.fetch(Note.all.with(\.folder))
    print(notes[0].title ?? "", notes[0].folder?.loaded?.name ?? "")  // Hats Home
    // end
    #expect(report.createdCount == 2 && plan.omissions.isEmpty)
    #expect(plan.tables.map(\.type) == ["Folder", "Note"])
    #expect(notes[0].writtenAt == Date(timeIntervalSinceReferenceDate: 700_000_000))
    #expect(notes[0].folder?.loaded?.name == "Home")
  }

  @Test func `tables of Fluent, as comma-separated lines`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let milkyWay = UUID().uuidString.lowercased()
    try Data("id,name\n\(milkyWay),Milky Way\n".utf8)
      .write(to: URL(fileURLWithPath: folder + "/galaxies.csv"))
    try Data("id,name,galaxy_id\n\(UUID().uuidString),Sun,\(milkyWay)\n".utf8)
      .write(to: URL(fileURLWithPath: folder + "/stars.csv"))
    let store = try await Store.open(.inMemory)
    // snippet: Documentation/FromFluent.md
    var reading = CommaSeparatedReading()
    reading.identifiers = "id"
    try await store.adopt(csv: folder + "/galaxies.csv", as: "galaxies", reading: reading)
    reading.kinds = ["galaxy_id": .reference]
    try await store.adopt(csv: folder + "/stars.csv", as: "stars", reading: reading)

    try await store.write(author: "import") { tx in  // the galaxies own their stars from now on
      try await tx.save(try await tx.fetch(Star.all))
    }
    // end
    let galaxies = try await store.fetch(Galaxy.all.with(\.stars))
    #expect(galaxies.map(\.name) == ["Milky Way"])
    #expect(galaxies.first?.stars.loaded?.map(\.name) == ["Sun"])
    try await store.erase(galaxies)
    #expect(try await store.isEmpty(Star.all))
  }

  @Test func `tables of GRDB and SQLiteData`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try database(
      """
      CREATE TABLE reminders (id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL,
        isDone INTEGER NOT NULL, dueDate TEXT) STRICT;
      INSERT INTO reminders VALUES
        ('018f4e2a-0000-7000-8000-000000000001', 'Hats', 0, '2023-11-16 22:13:21.000');
      """
    )
    let store = try await Store.open(.inMemory)
    // snippet: Documentation/FromSQLiteData.md
    var plan = try AdoptionPlan(sqlite: path)
    plan["reminders"]?["isDone"]?.reading = .boolean
    plan["reminders"]?["dueDate"]?.reading = .date
    let report = try await store.adopt(sqlite: path, by: plan)
    let open = try await store.fetch(Reminder.where { $0.isDone == false })
    print(report.createdCount, open.map(\.title))  // 1 ["Hats"]
    // end
    #expect(report.createdCount == 1 && open.map(\.title) == ["Hats"])
    #expect(open.first?.dueDate == Date(timeIntervalSince1970: 1_700_172_801))
    #expect(open.first?.id.text == "reminders/018f4e2a-0000-7000-8000-000000000001")
  }
}

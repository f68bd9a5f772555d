import Foundation
import GRDB
import Testing
import VarveAdoption
import VarveCore
import VarveStore

@Suite("Adopting an SQLite database")
struct AdoptionTests {
  private static let music = """
    PRAGMA foreign_keys = ON;
    CREATE TABLE Artist (ArtistId INTEGER PRIMARY KEY, Name TEXT);
    CREATE TABLE Album (AlbumId INTEGER PRIMARY KEY, Title TEXT, Released DATETIME,
      ArtistId INTEGER NOT NULL REFERENCES Artist ON DELETE CASCADE);
    CREATE TABLE Genre (Code TEXT PRIMARY KEY, IsOld BOOLEAN) WITHOUT ROWID;
    CREATE TABLE AlbumGenre (AlbumId INTEGER REFERENCES Album(AlbumId),
      Code TEXT REFERENCES Genre(Code), PRIMARY KEY (AlbumId, Code));
    INSERT INTO Artist VALUES (1, 'Ann'), (2, 'Bob');
    INSERT INTO Album VALUES (10, 'Hats', '2018-12-08 14:30:00.250', 1), (11, 'Caps', NULL, 2);
    INSERT INTO Genre VALUES ('jazz', 1), ('new/age', 0);
    INSERT INTO AlbumGenre VALUES (10, 'jazz'), (10, 'new/age'), (11, 'jazz');
    """

  @Test func `rows become entities, foreign keys references, and cascades ownerships`() async throws
  {
    let scratch = try await Scratch()
    try scratch.write(Self.music)
    let report = try await scratch.adopt()
    #expect(report.createdCount == 6)
    #expect(report.relatedCount == 5)
    #expect(report.diagnosticCount == 0)
    let album = try await scratch.store.require("Album#10")
    #expect(album.type == "Album")
    #expect(album["Title"] == "Hats")
    #expect(album["ArtistId"] == .reference("Artist#1"))
    #expect(album["Released"] == .date(Date(timeIntervalSince1970: 1_544_279_400.25)))
    #expect(try await scratch.store.require("Genre/jazz")["IsOld"] == true)
    let genres = try await scratch.store.relatedIDs("Album#10", .free, named: "AlbumGenre")
    #expect(Set(genres) == ["Genre/jazz", "Genre/new/age"])
    #expect(try await scratch.store.relatedIDs("Artist#1", .owns) == ["Album#10"])
  }

  @Test func `an unchanged database makes no commit`() async throws {
    let scratch = try await Scratch()
    try scratch.write(Self.music)
    #expect(try await scratch.adopt().commit != nil)
    let again = try await scratch.readopt()
    #expect(again.commit == nil)
    #expect(again.unchangedCount == 6)
    #expect(again.createdCount + again.changedCount + again.endedCount == 0)
    #expect(again.relatedCount + again.unrelatedCount == 0)
  }

  @Test func `a second adoption writes the differences only`() async throws {
    let scratch = try await Scratch()
    try scratch.write(Self.music)
    try await scratch.adopt()
    try scratch.write(
      """
      UPDATE Album SET Title = NULL, ArtistId = 2 WHERE AlbumId = 10;
      DELETE FROM AlbumGenre WHERE AlbumId = 11;
      DELETE FROM AlbumGenre WHERE AlbumId = 10 AND Code = 'jazz';
      INSERT INTO Artist VALUES (3, 'Cid');
      """
    )
    let report = try await scratch.adopt()
    #expect(report.createdCount == 1)
    #expect(report.changedCount == 1)
    #expect(report.unchangedCount == 5)
    #expect(report.unrelatedCount == 3)
    #expect(report.relatedCount == 1)
    #expect(try await scratch.store.require("Album#10")["Title"] == nil)
    #expect(try await scratch.store.relatedIDs("Album#10", .ownedBy) == ["Artist#2"])
    #expect(try await scratch.store.relatedIDs("Album#11", .free) == [])
    #expect(try await scratch.store.relatedIDs("Album#10", .free) == ["Genre/new/age"])
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `entities of missing rows stay unless the options end them`() async throws {
    let scratch = try await Scratch()
    try scratch.write(Self.music)
    try await scratch.adopt()
    try await scratch.store.write { try await $0.create("Artist", id: "mine", ["Name": "Dan"]) }
    try scratch.write("DELETE FROM AlbumGenre; DELETE FROM Artist WHERE ArtistId = 2")
    #expect(try await scratch.adopt().endedCount == 0)
    #expect(try await scratch.store.entity("Artist#2") != nil)
    #expect(try await scratch.adopt(endsMissingRows: true).endedCount == 2)
    #expect(try await scratch.store.entity("Artist#2") == nil)
    #expect(try await scratch.store.entity("Album#11") == nil)
    #expect(try await scratch.store.entity("mine") != nil)
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `a row whose owner's row is missing outlives it`() async throws {
    let scratch = try await Scratch()
    try scratch.write(Self.music)
    try await scratch.adopt()
    let queue = try DatabaseQueue(path: scratch.path)
    try await queue.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA foreign_keys = OFF; DELETE FROM Artist WHERE ArtistId = 2")
    }
    try queue.close()
    #expect(try await scratch.adopt(endsMissingRows: true).endedCount == 1)
    #expect(try await scratch.store.entity("Album#11") != nil)
    #expect(try await scratch.readopt().commit == nil)
    #expect(try await scratch.adopt().commit == nil)
  }

  @Test(arguments: [false, true]
  )
  func `a row that is gone relates and owns nothing, although the store has its entity`(
    endsMissingRows: Bool
  ) async throws {
    let scratch = try await Scratch()
    try scratch.write(Self.music)
    try await scratch.adopt()
    try scratch.write(
      """
      DELETE FROM Genre WHERE Code = 'jazz'; DELETE FROM Artist WHERE ArtistId = 2;
      INSERT INTO Genre VALUES ('folk', 1); INSERT INTO AlbumGenre VALUES (11, 'folk');
      """,
      enforcingKeys: false
    )
    let report = try await scratch.adopt(endsMissingRows: endsMissingRows)
    #expect(report.diagnosticCount == 2)
    #expect(try await (scratch.store.entity("Genre/jazz") == nil) == endsMissingRows)
    if endsMissingRows {
      try await scratch.store.write { tx in
        for id in ["Genre/jazz", "Artist#2"] as [EntityID] { try await tx.restore(id) }
      }
    }
    #expect(try await scratch.store.relatedIDs("Album#10", .free) == ["Genre/new/age"])
    #expect(try await scratch.store.relatedIDs("Album#11", .free) == ["Genre/folk"])
    #expect(try await scratch.store.relatedIDs("Artist#2", .owns) == [])
    #expect(try await scratch.adopt().commit == nil)
    try scratch.write("DELETE FROM Album", enforcingKeys: false)
    try await scratch.adopt()
    #expect(try await scratch.store.entity("Album#10") != nil)
    #expect(try await scratch.store.relatedIDs("Album#10", .free) == [])
    #expect(try await scratch.adopt().commit == nil)
  }

  @Test func `a plan is edited before it is run`() async throws {
    let scratch = try await Scratch()
    try scratch.write(Self.music)
    var plan = try AdoptionPlan(sqlite: scratch.path)
    #expect(plan.tables.map(\.name) == ["Album", "AlbumGenre", "Artist", "Genre"])
    #expect(plan["AlbumGenre"]?.isLink == true)
    plan["Artist"]?.type = "Person"
    plan["Genre"]?.isOmitted = true
    plan["Album"]?.columns[1].property = "name"
    plan["Album"]?.columns[2].property = nil
    let report = try await scratch.store.adopt(sqlite: scratch.path, by: plan)
    #expect(report.createdCount == 4)
    #expect(try await scratch.store.require("Artist#1").type == "Person")
    #expect(try await scratch.store.require("Album#10").keys == ["AlbumId", "ArtistId", "name"])
    #expect(try await scratch.store.adopt(sqlite: scratch.path, by: plan).commit == nil)
    plan["Album"]?.columns[0].property = "name"
    await #expect(throws: VarveError.self) {
      try await scratch.store.adopt(sqlite: scratch.path, by: plan)
    }
  }

  @Test func `a dry run counts the changes and writes nothing`() async throws {
    let scratch = try await Scratch()
    try scratch.write(Self.music)
    var options = AdoptionOptions()
    options.isDryRun = true
    var steps: [AdoptionProgress] = []
    let report = try await scratch.store.adopt(sqlite: scratch.path, options) { steps.append($0) }
    #expect(report.createdCount == 6)
    #expect(report.commit == nil)
    #expect(try await scratch.store.types().isEmpty)
    #expect(steps.last?.rowCount == 6)
    #expect(steps.last?.totalRowCount == 6)
  }

  @Test
  func `adopting beside an application that writes in WAL mode reads one state and writes nothing`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(Self.music)
    let pool = try DatabasePool(path: scratch.path)
    try await pool.write { try $0.execute(sql: "INSERT INTO Artist VALUES (3, 'Cid')") }
    var isWritten = false
    let report = try await scratch.store.adopt(sqlite: scratch.path) { _ in
      guard !isWritten else { return }
      isWritten = true
      try pool.write { try $0.execute(sql: "INSERT INTO Genre VALUES ('late', 0)") }
    }
    #expect(report.createdCount == 7)
    #expect(try await scratch.adopt().createdCount == 1)
    try pool.close()
  }
}

@Suite("Adopting a part of the Chinook database")
struct ChinookTests {
  @Test func `keeps every row, reference and link, and a second time writes nothing`() async throws
  {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/chinook.sqlite").path
    let store = try await Store.open(.inMemory)
    let report = try await store.adopt(sqlite: path)
    #expect(report.createdCount == 71)
    #expect(report.relatedCount == 131)
    #expect(report.diagnosticCount == 0)
    let track = try await store.require("Track#1")
    #expect(track["AlbumId"] == .reference("Album#1"))
    #expect(track["UnitPrice"] == 0.99)
    #expect(try await store.relatedCount("Playlist#1", .free, named: "PlaylistTrack") == 50)
    #expect(try await store.adopt(sqlite: path).commit == nil)
    try await store.close()
  }
}

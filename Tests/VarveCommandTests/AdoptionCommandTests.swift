#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite struct AdoptionCommandTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A part of the Chinook database.
  private static let chinook = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/chinook.sqlite").path

  @Test func `an SQLite database is imported without a mapping, and again without a commit`()
    async throws
  {
    let store = scratch.path("music.varve")
    let first = try await Program.varve("import", store, Self.chinook, "--create", "--json")
    #expect(first.status == 0, "\(first.errors)")
    #expect(try first.result[0]["created"] == 71)
    #expect(try first.result[0]["related"] == 131)
    let again = try await Program.varve("import", store, Self.chinook)
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.contains("71 unchanged"))
    #expect(again.output.contains("nothing written"))
    let album = try await Program.varve("get", store, "Album#1", "ArtistId")
    #expect(album.output.contains("Artist#1"))
  }

  @Test func `--plan prints what becomes of each table and writes nothing`() async throws {
    let store = scratch.path("music.varve")
    let plan = try await Program.varve("import", store, Self.chinook, "--plan")
    #expect(plan.status == 0, "\(plan.errors)")
    #expect(plan.lines.contains("PlaylistTrack: relation PlaylistTrack from Playlist to Track"))
    #expect(plan.lines.contains("Album: type Album, key AlbumId"))
    #expect(plan.lines.contains("  ArtistId: ArtistId, reference to Artist"))
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `tables are selected and renamed by options`() async throws {
    let store = scratch.path("music.varve")
    let run = try await Program.varve(
      "import",
      store,
      Self.chinook,
      "--create",
      "--tables",
      "Artist,Album",
      "--rename",
      "Artist=Band",
      "--rename",
      "Album.Title=name"
    )
    #expect(run.status == 0, "\(run.errors)")
    let band = try await Program.varve("list", store, "Band", "--count")
    #expect(band.lines == ["4"])
    let album = try await Program.varve("get", store, "Album#1", "name")
    #expect(album.lines == ["For Those About To Rock We Salute You"])
    let wrong = try await Program.varve("import", store, Self.chinook, "--tables", "Nothing")
    #expect(wrong.status == 1)
    #expect(wrong.errors.contains("there is no table \"Nothing\" to adopt"))
  }

  @Test func `the reading of a column is chosen by an option`() async throws {
    let store = scratch.path("music.varve")
    let plan = try await Program.varve(
      ["import", store, Self.chinook, "--plan", "--kind", "Track.Milliseconds=milliseconds"]
    )
    #expect(plan.lines.contains("  Milliseconds: Milliseconds, milliseconds"), "\(plan.errors)")
    for (wrong, status) in [("Track.Name=text", 64), ("Track.None=date", 1), ("Track=date", 1)] {
      let run = try await Program.varve("import", store, Self.chinook, "--plan", "--kind", wrong)
      #expect(run.status == status, "\(run.errors)")
    }
  }

  @Test func `a file that does not exist is not found, whatever it would be`() async throws {
    let run = try await Program.varve("import", scratch.path("a.varve"), scratch.path("b.sqlite"))
    #expect(run.status == 1)
    #expect(run.errors.contains("notFound: there is no such file"), "\(run.errors)")
  }

  @Test func `a document that is no database needs a mapping`() async throws {
    let document = scratch.path("a.json")
    try Data("{}".utf8).write(to: URL(fileURLWithPath: document))
    let store = scratch.path("music.varve")
    let plain = try await Program.varve("import", store, document, "--create")
    #expect(plain.status == 64)
    #expect(plain.errors.contains("Missing expected argument '--mapping <file>'"))
    let planned = try await Program.varve("import", store, document, "--plan")
    #expect(planned.status == 64)
    let both = try await Program.varve("import", store, document, Self.chinook)
    #expect(both.status == 64)
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `comma-separated files are imported by a type and a key`() async throws {
    let (document, store) = (scratch.path("hats.csv"), scratch.path("hats.varve"))
    let file = URL(fileURLWithPath: document)
    try Data("code,size,since\nb7,12,2018-12-08\n".utf8).write(to: file)
    let run = try await Program.varve(
      "import",
      store,
      document,
      "--type",
      "Hat",
      "--create",
      "--key",
      "code",
      "--kind",
      "size=text"
    )
    #expect(run.status == 0, "\(run.errors)")
    let size = try await Program.varve("get", store, "Hat/b7", "size", "--json")
    #expect(try size.result == "12", "\(size.output)")
    try Data("code,size\nb7\n".utf8).write(to: file)
    let malformed = try await Program.varve("import", store, document, "--type", "Hat")
    #expect(malformed.status == 1)
    #expect(malformed.errors.contains("line 2, column 1"))
    let unkeyed = try await Program.varve("import", store, document, "--key", "code")
    #expect(unkeyed.status == 64)
  }

  @Test(arguments: [false, true])
  func `documents before one that fails stay imported and are reported`(isDatabase: Bool)
    async throws
  {
    let store = scratch.path("several.varve")
    let (good, bad) = (scratch.path("good.csv"), scratch.path("bad.csv"))
    try Data("code\na\nb\n".utf8).write(to: URL(fileURLWithPath: good))
    try Data((isDatabase ? "SQLite format 3\0" : "code\na,b\n").utf8)
      .write(to: URL(fileURLWithPath: bad))
    let documents =
      isDatabase ? [Self.chinook, bad] : [good, bad, "--type", "Hat", "--key", "code"]
    let first = try await Program.varve(["import", store, "--create"] + documents)
    #expect(first.status == 1)
    let created = isDatabase ? "71 created" : "2 created"
    #expect(first.output.contains("\(documents[0]): \(created)"), "\(first.output)")
    let again = try await Program.varve(["import", store, "--json"] + documents)
    #expect(again.status == 1)
    #expect(again.output.contains(#""unchanged":\#(isDatabase ? 71 : 2)"#), "\(again.output)")
  }

  @Test func `a store is exported as a database at any state, which is imported again`()
    async throws
  {
    let store = try await scratch.hats()
    let (path, past) = (scratch.path("out.sqlite"), scratch.path("past.sqlite"))
    let run = try await Program.varve("export", store, "--sqlite", path, "--json")
    #expect(run.status == 0, "\(run.errors)")
    let empty = try await Program.varve(
      "export",
      store,
      "--sqlite",
      past,
      "--as-of",
      "1999-01-01"
    )
    #expect(empty.status == 0, "\(empty.errors)")
    #expect(empty.lines == ["wrote 0 entities and 0 links to \(past), 0 tables"])
    let copy = scratch.path("copy.varve")
    let again = try await Program.varve("import", copy, path, "--create", "--json")
    #expect(try again.result[0]["created"] == run.result["records"])
    let existing = try await Program.varve("export", store, "--sqlite", path)
    #expect(existing.status == 1 && existing.errors.contains("the file exists"))
    let own = try await Program.varve("export", store, "--sqlite", store + "-wal")
    #expect(own.status == 1)
  }

  @Test func `a type is exported as comma-separated lines`() async throws {
    let store = scratch.path("hats.varve")
    _ = try await Program.varve("init", store)
    _ = try await Program.varve("create", store, "Hat", "--id", "a", "color=red")
    let lines = try await Program.varve("export", store, "--csv", "--type", "Hat")
    #expect(lines.output == "id,color\r\na,red\r\n", "\(lines.errors)")
    let path = scratch.path("hats.csv")
    let file = try await Program.varve(
      "export",
      store,
      "--csv",
      "--type",
      "Hat",
      "--output",
      path
    )
    #expect(file.lines == ["wrote 1 entity to \(path)"], "\(file.errors)")
    for wrong in [["--csv"], ["--type", "Hat"], ["--csv", "--type", "Hat", "--sqlite", "x"]] {
      #expect(try await Program.varve(["export", store] + wrong).status == 64)
    }
    for wrong in [["--form", "full"], ["--output", "x"], ["--mapping", "m.json"]] {
      let run = try await Program.varve(["export", store, "--sqlite", "y"] + wrong)
      #expect(run.status == 64)
    }
  }

  @Test func `rows with a null in their key and numbers that are no dates are reported`()
    async throws
  {
    let (database, store) = (scratch.path("odd.sqlite"), scratch.path("odd.varve"))
    let made = try await Program.shell(
      """
      python3 -c 'import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      db.executescript("create table t (k text primary key, at datetime);" +
        "insert into t values (null, 1544227200000), (null, 5), (1, null);")
      db.close()' '\(database)'
      """
    )
    #expect(made.status == 0, "\(made.errors)")
    let run = try await Program.varve("import", store, database, "--create")
    #expect(
      run.lines.dropFirst() == [
        "  note: t: row 1 has a null in its key, k = null: its number identifies it",
        "  note: t: row 2 has a null in its key, k = null: its number identifies it",
        "  note: t.at: a value is no date, such as 1544227200000; read as milliseconds "
          + "(--kind t.at=milliseconds), it is 2018-12-08T00:00:00.000Z",
        "  note: t.at: a number is small, such as 5; read as seconds since 1970, it is "
          + "1970-01-01T00:00:05.000Z; --kind t.at=stored keeps the numbers",
      ],
      "\(run.output)\(run.errors)"
    )
    let count = try await Program.varve("list", store, "t", "--count")
    #expect(count.lines == ["3"])
    let read = try await Program.varve(
      ["import", store, database, "--kind", "t.at=milliseconds", "--json"]
    )
    #expect(try read.result[0]["noteCount"] == 2)
    #expect(try read.result[0]["changed"] == 2)
  }
}
#endif

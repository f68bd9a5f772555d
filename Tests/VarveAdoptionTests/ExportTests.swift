import Foundation
import GRDB
import Testing
import VarveAdoption
import VarveCore
import VarveStore

@Suite("Exporting tables")
struct ExportTests {
  /// A folder of its own.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    var names: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }
  }

  private let folder: Folder

  init() throws { folder = try Folder() }

  /// The rows of a query of an exported database, as text.
  private func rows(_ sql: String, in path: String) throws -> [String] {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    return try queue.read { db in
      try Row.fetchAll(db, sql: sql).map { row in
        row.databaseValues.map { $0.isNull ? "-" : "\($0.storage.value ?? "-")" }
          .joined(separator: "|")
      }
    }
  }

  private func shop() async throws -> Store {
    let store = try await Store.open(.inMemory)
    try await store.create("Shop", id: "s", ["name": "Hats & co", "open": true])
    try await store.create("Hat", id: "a", ["color": "red", "size": 8, "shop": .reference("s")])
    try await store.create(
      "Hat",
      id: "b",
      ["color": "", "size": 9, "made": .date(Date(timeIntervalSince1970: 1_544_279_400.25))]
    )
    try await store.write { tx in
      try await tx.relate("s", .owns, "a")
      try await tx.relate("a", .free, "b", named: "like")
      try await tx.setCollection("s", "shelf", to: ["b", "a", "b"])
    }
    return store
  }

  @Test func `a type is a table, a property a column, a reference a foreign key`() async throws {
    let store = try await shop()
    let path = folder.path("out.sqlite")
    let report = try await store.export(sqlite: path)
    #expect(report.entityCount == 3 && report.linkCount == 5)
    #expect(report.tables == ["Hat", "Shop", "owns", "like", "Shop_shelf"])
    #expect(
      try rows("SELECT id, color, made, shop, size, typeof(size) FROM Hat ORDER BY id", in: path)
        == ["a|red|-|s|8|integer", "b||2018-12-08 14:30:00.250|-|9|integer"]
    )
    #expect(try rows("SELECT * FROM Shop", in: path) == ["s|Hats & co|1"])
    #expect(try rows("SELECT * FROM owns", in: path) == ["s|a"])
    #expect(try rows("SELECT * FROM \"like\"", in: path) == ["a|b"])
    let shelf = try rows("SELECT * FROM Shop_shelf ORDER BY position", in: path)
    #expect(shelf == ["s|0|b", "s|1|a", "s|2|b"])
    let keys = try rows(
      "SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list('Hat')",
      in: path
    )
    #expect(keys == ["shop|Shop|id"])
    #expect(try rows("PRAGMA foreign_key_check", in: path).isEmpty)
    #expect(try rows("PRAGMA integrity_check", in: path) == ["ok"])
    #expect(folder.names == ["out.sqlite"])
  }

  @Test func `values keep their kind, mixed kinds their own, and nothing is lost in between`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    let values: [PropertyKey: Value] = [
      "int": .int(.min), "double": .double(.nan), "endless": .double(-.infinity), "truth": false,
      "data": .data(Data([0, 255])), "nothing": .data(Data()), "zero": .string("a\0b"),
      "list": [1, 2.5, "é\"\n", .date(Date(timeIntervalSince1970: 0)), ["k": true]],
      "old": .date(Date(timeIntervalSince1970: -62_135_596_800)),
      "far": .date(Date(timeIntervalSince1970: 1e15)), "number": "0012",
    ]
    try await store.create("T", id: "a", values)
    try await store.create("T", id: "b", ["int": "text", "number": 12, "double": 1.0])
    let path = folder.path("out.sqlite")
    try await store.export(sqlite: path)
    let sql =
      "SELECT int, double, endless, truth, hex(data), length(\"nothing\"), list, old, number"
    #expect(
      try rows(sql + ", typeof(number), typeof(int), hex(zero) FROM T ORDER BY id", in: path) == [
        "-9223372036854775808|NaN|-inf|0|00FF|0|"
          + #"[1,2.5,"é\"\n","1970-01-01T00:00:00.000Z",{"k":true}]"#
          + "|0001-01-01 00:00:00.000|0012|text|integer|610062",
        "text|1.0|-|-||-|-|-|12|integer|text|",
      ]
    )
  }

  @Test func `names that SQLite cannot tell apart, reserves or cannot write get others`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    try await store.create("Hat", id: "a", ["id": 1, "ID": 2, "": 3, "a\"b": 4, "x\0y": 5])
    try await store.create("hat", id: "b", ["é": 1, "e\u{301}": 2])
    try await store.create("", id: "c")
    try await store.create("sqlite_x", id: "d")
    try await store.create("Hat_2", id: "e")
    try await store.write { try await $0.relate("a", .free, "b", named: "Hat") }
    let path = folder.path("out.sqlite")
    let report = try await store.export(sqlite: path)
    #expect(Set(report.tables) == ["untyped", "Hat", "Hat_2", "hat_3", "_sqlite_x", "Hat_4"])
    #expect(try rows("SELECT * FROM Hat", in: path) == ["a|3|2|4|1|5"])
    #expect(try rows("SELECT id_2, id_3, \"a\"\"b\", value, x_y FROM Hat", in: path).count == 1)
    #expect(try rows("SELECT * FROM hat_3", in: path) == ["b|2|1"])
    #expect(try rows("SELECT * FROM Hat_4", in: path) == ["a|b"])
  }

  @Test func `names are those that SQL has, in every state`() async throws {
    let store = try await Store.open(.inMemory)
    try await store.create("Hat", id: "a", ["id": 1, "ID": 2, "true": 3, "@datestamp": 4])
    try await store.create("hat", id: "b", ["n": 1])
    let then = try await store.frontier()
    try await store.erase(["a"])
    let schema = try await store.schema()
    #expect(schema.map(\.name) == ["Hat", "hat_2"])
    #expect(schema[0].keys.map(\.name) == ["@datestamp_2", "ID_2", "id_3", "true_2"])
    var lines: [UInt8] = []
    try await store.asOf(then).export(csv: "Hat") { lines += $0 }
    let heading = String(decoding: lines, as: UTF8.self).split(separator: "\r\n")[0]
    #expect(heading == "id,@datestamp_2,ID_2,id_3,true_2")
    let path = folder.path("now.sqlite")
    #expect(try await store.export(sqlite: path).tables == ["hat_2"])
    #expect(try rows("SELECT n FROM hat_2", in: path) == ["1"])
  }

  @Test func `a reference that leads nowhere, or to several types, is no foreign key`() async throws
  {
    let store = try await shop()
    try await store.create("Hat", id: "c", ["shop": .reference("gone"), "like": .reference("s")])
    try await store.create("Hat", id: "d", ["like": .reference("c")])
    try await store.erase("b")
    let path = folder.path("out.sqlite")
    try await store.export(sqlite: path)
    #expect(try rows("SELECT * FROM pragma_foreign_key_list('Hat')", in: path).isEmpty)
    #expect(try rows("SELECT shop FROM Hat WHERE id = 'c'", in: path) == ["gone"])
    // Erased ends are in no table.
    #expect(try rows("SELECT target FROM Shop_shelf", in: path) == ["a"])
  }

  @Test func `an end of relations with several types is reported: no foreign key describes it`()
    async throws
  {
    let store = try await shop()
    let plain = folder.path("plain.sqlite")
    #expect(try await store.export(sqlite: plain).inexact.isEmpty)
    try await store.relate("s", .free, "b", named: "like")
    try await store.create("Shop", id: "t")
    try await store.relate("s", .owns, "t")
    let report = try await store.export(sqlite: folder.path("out.sqlite"))
    let ends = report.inexact.map { "\($0.table).\($0.column)" }.sorted()
    #expect(ends == ["like.source", "owns.target"])
    #expect(report.inexact.allSatisfy { $0.reason.contains("several types") })
  }

  @Test func `any state is exported: past, merged, undone, purged, and of a write in progress`()
    async throws
  {
    let store = try await shop()
    let before = try await store.frontier()
    try await store.set("a", "color", "blue")
    let commit = try #require(try await store.log().first)
    try await store.erase("b")
    let past = folder.path("past.sqlite")
    try await store.asOf(before).export(sqlite: past)
    #expect(try rows("SELECT color FROM Hat ORDER BY id", in: past) == ["red", ""])
    let other = try await Store.open(.inMemory)
    try await other.merge(from: store)
    let merged = folder.path("merged.sqlite")
    try await other.export(sqlite: merged)
    #expect(try rows("SELECT color FROM Hat ORDER BY id", in: merged) == ["blue"])
    try await other.undo(commit.id)
    let undone = folder.path("undone.sqlite")
    try await other.export(sqlite: undone)
    #expect(try rows("SELECT color FROM Hat ORDER BY id", in: undone) == ["red"])
    try await store.purge(["a"])
    let purged = folder.path("purged.sqlite")
    try await store.asOf(before).export(sqlite: purged)
    #expect(try rows("SELECT id, color FROM Hat ORDER BY id", in: purged) == ["a|-", "b|"])
    let inside = folder.path("inside.sqlite")
    try await store.write { tx in
      try await tx.create("Hat", id: "new", ["color": "green"])
      try await tx.export(sqlite: inside)
    }
    #expect(try rows("SELECT color FROM Hat", in: inside) == ["green"])
  }

  @Test func `an exported database is adopted as what it was`() async throws {
    let store = try await shop()
    let path = folder.path("out.sqlite")
    try await store.export(sqlite: path)
    let copy = try await Store.open(.inMemory)
    let report = try await copy.adopt(sqlite: path)
    #expect(report.diagnosticCount == 0)
    let hats = try await copy.fetch(Query("Hat"))
    #expect(Set(hats.compactMap { $0["color"] }) == ["red", ""])
    #expect(
      hats.compactMap { $0["made"] } == [.date(Date(timeIntervalSince1970: 1_544_279_400.25))]
    )
    let shop = try #require(try await copy.fetch(Query("Shop")).first)
    #expect(shop["open"] == true)
    #expect(hats.compactMap { $0["shop"] } == [.reference(shop.id)])
  }

  @Test func `an existing file is kept, and a failed export leaves none behind`() async throws {
    let store = try await shop()
    let path = folder.path("out.sqlite")
    try Data("keep".utf8).write(to: URL(fileURLWithPath: path))
    await #expect(throws: VarveError.self) { try await store.export(sqlite: path) }
    #expect(FileManager.default.contents(atPath: path) == Data("keep".utf8))
    await #expect(throws: VarveError.self) {
      try await store.export(sqlite: folder.path("no/such/out.sqlite"))
    }
    let keys = (0..<2_001).map { (PropertyKey("k\($0)"), Value.int(Int64($0))) }
    try await store.create("Wide", Dictionary(uniqueKeysWithValues: keys))
    let error = await #expect(throws: VarveError.self) {
      try await store.export(sqlite: folder.path("wide.sqlite"))
    }
    #expect(error?.code == .unsupported)
    #expect(folder.names == ["out.sqlite"])
  }

  @Test func `an empty store is a database without tables`() async throws {
    let store = try await Store.open(.inMemory)
    let path = folder.path("out.sqlite")
    #expect(try await store.export(sqlite: path).tables.isEmpty)
    #expect(try rows("SELECT count(*) FROM sqlite_master", in: path) == ["0"])
  }

  @Test func `a type is comma-separated lines, which are adopted as what they were`() async throws {
    let store = try await shop()
    try await store.create(
      "Hat",
      id: "c",
      ["color": "a,\"b\"\r\n", "size": 1.0, "data": .data(Data([1])), "list": [true]]
    )
    var bytes: [UInt8] = []
    let count = try await store.export(csv: "Hat") { bytes += $0 }
    #expect(count == 3)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(
      text == "id,color,data,list,made,shop,size\r\n" + "a,red,,,,s,8\r\n"
        + "b,\"\",,,2018-12-08T14:30:00.250Z,,9\r\n" + "c,\"a,\"\"b\"\"\r\n\",AQ==,[true],,,1.0\r\n"
    )
    let path = folder.path("hats.csv")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let copy = try await Store.open(.inMemory)
    try await copy.adopt(csv: path, as: "Hat", key: "id")
    let colors = try await copy.fetch(Query("Hat")).map { $0["color"] }
    #expect(colors == ["red", "", "a,\"b\"\r\n"])
    var none: [UInt8] = []
    #expect(try await store.export(csv: "Cap") { none += $0 } == 0)
    #expect(String(decoding: none, as: UTF8.self) == "id\r\n")
  }
}

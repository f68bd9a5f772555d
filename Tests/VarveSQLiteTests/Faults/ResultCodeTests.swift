import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("An error of SQLite")
struct ResultCodeTests {
  /// SQLite's primary result codes and a few extended ones: https://www.sqlite.org/rescode.html
  private static let ours: [(code: Int32, kind: VarveError.Code)] = [
    (1, .damaged), (2, .inputOutput), (3, .readOnly), (4, .inputOutput), (5, .busy), (6, .busy),
    (7, .inputOutput), (8, .readOnly), (9, .cancelled), (10, .inputOutput), (11, .damaged),
    (12, .inputOutput), (13, .diskFull), (14, .inputOutput), (15, .busy), (17, .busy),
    (18, .valueTooLarge), (19, .damaged), (20, .damaged), (21, .inputOutput), (22, .diskFull),
    (23, .readOnly), (24, .damaged), (25, .inputOutput), (26, .notAStore), (266, .inputOutput),
    (267, .damaged), (517, .busy), (778, .inputOutput), (moved, .inputOutput), (2_067, .damaged),
  ]

  /// The file lost its name, which Varve says itself.
  private static let moved: Int32 = 1_032

  @Test func `is an error of the fitting code, with SQLite's message and a remedy`() {
    for (code, kind) in Self.ours {
      let error = SQLiteFailure.error(code, "what SQLite says", at: "store")
      #expect(error.code == kind, "code \(code)")
      #expect(error.place == "store" && error.remedy != nil, "code \(code)")
      let isOurs = kind == .readOnly || code == Self.moved
      #expect(isOurs || error.message.contains("what SQLite says"), "code \(code)")
    }
  }

  @Test func `is an invalid query if the statement is the caller's and can be the cause`() {
    for (code, kind) in Self.ours {
      let isOwn = [1, 18, 20, 23, 25].contains(code & 0xFF)
      let error = SQLiteFailure.error(code, "what SQLite says", at: "store", by: .user)
      #expect(error.code == (isOwn ? .invalidQuery : kind), "code \(code)")
      let isOurs = error.code == .readOnly || code == Self.moved
      #expect(isOurs || error.message.contains("what SQLite says"), "code \(code)")
    }
  }

  @Test func `an error of SQLite is a full disk if the system refuses to enlarge a file`() {
    for number in [ENOSPC, EDQUOT, EFBIG] {
      for code: Int32 in [10, 14, 778, 1_290, 4_874] {
        let error = SQLiteFailure.error(code, "disk I/O error", at: "store", systemError: number)
        #expect(error.code == .diskFull, "code \(code), errno \(number)")
      }
    }
    let error = SQLiteFailure.error(778, "disk I/O error", at: "store", systemError: EIO)
    #expect(error.code == .inputOutput)
  }

  @Test(arguments: Kind.allCases)
  func `an error of SQLite in custom SQL is reported as an invalid query`(kind: Kind) async throws {
    let scratch = try Scratch()
    let store = Store(backend: try await kind.open(scratch))
    let id: EntityID = "hat"
    try await store.create("Hat", id: id, ["n": 1, "tags": .array(["a", "b"]), "name": "cap"])
    let conditions = [
      "EXISTS (SELECT 1 FROM json_each(tags))", "json_extract(name, '$.a') = 1", "nothing = 1",
      "no_such_function(n)", "n = (", "abs(-9223372036854775807 - n) = 1",
      "length(zeroblob(2000000000)) > n", "varve_json(name) = ''",
      "n IN (SELECT n FROM Hat LIMIT 'x')", "n MATCH 'x'",
    ]
    for condition in conditions {
      await expectRefusal(.invalidQuery) {
        _ = try await store.fetch(Query("Hat").where(sql: condition))
      }
      await expectRefusal(.invalidQuery) {
        _ = try await store.count(Query("Hat").where(sql: condition))
      }
    }
    #expect(try await store.count(Query("Hat")) == 1)
    try await store.close()
  }

  @Test func `an error of SQLite is nothing for arrays and dictionaries read as JSON`() async throws
  {
    let store = Store(backend: try await openBackend())
    let date = Date(timeIntervalSince1970: 0)
    let values: [(value: Value, json: String)] = [
      (.array([]), "[]"), (.array(["a\"\\\n", 1, 1.5, true]), #"["a\"\\\u000a",1,1.5,true]"#),
      (.dictionary(["b": .array(["é"]), "a": 2]), #"{"a":2,"b":["é"]}"#),
      (
        .array([.date(date), .data(Data([1])), .reference("x"), .double(.nan)]),
        #"["1970-01-01T00:00:00.000Z","AQ==","x",null]"#
      ),
    ]
    for (index, (value, json)) in values.enumerated() {
      let key = PropertyKey("k\(index)")
      try await store.create("Hat", id: EntityID("hat \(index)"), [key: value])
      let query = Query("Hat").where(sql: "varve_json(k\(index)) = ?", [.string(json)])
      #expect(try await store.fetch(query).map(\.id.text) == ["hat \(index)"], "\(json)")
    }
    let tagged = Query("Hat").where(
      sql: "EXISTS (SELECT 1 FROM json_each(varve_json(k1)) WHERE value = ?)",
      [1.5]
    )
    #expect(try await store.fetch(tagged).map(\.id) == ["hat 1"])
    try await store.close()
  }
}

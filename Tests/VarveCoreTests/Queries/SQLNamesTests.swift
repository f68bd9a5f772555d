import Testing
import VarveCore

@Suite("Names in SQL")
struct SQLNamesTests {
  @Test func `are the keys themselves where SQL can tell them apart`() {
    let keys: [PropertyKey] = [
      "color", "brim size", "Über", "e\u{301}", "é", "c1", "row", "@x", "",
    ]
    let names = SQLNames(keys: keys)
    for key in keys where key != "" { #expect(names[key] == key.text) }
    #expect(names[""] == "value")
    #expect(names.renamed == [""])
  }

  @Test func `get a number if another has them, in byte order`() {
    let names = SQLNames(keys: ["hat", "Hat", "HAT", "id", "ID", "true", "@datestamp"])
    #expect(names["HAT"] == "HAT" && names["Hat"] == "Hat_2" && names["hat"] == "hat_3")
    #expect(names["ID"] == "ID_2" && names["id"] == "id_3")
    #expect(names["true"] == "true_2" && names["@datestamp"] == "@datestamp_2")
  }

  @Test func `that are free as they are are never given to others`() {
    let names = SQLNames(keys: ["id", "id_2", "ID_3"])
    #expect(names["id_2"] == "id_2" && names["ID_3"] == "ID_3" && names["id"] == "id_4")
  }

  @Test func `of types avoid those that SQLite and Varve reserve`() {
    let names = SQLNames(types: ["sqlite_x", "VARVE_commit", "", "varve", "a\0b", "true", "id"])
    #expect(names["sqlite_x"] == "_sqlite_x" && names["VARVE_commit"] == "_VARVE_commit")
    #expect(names[""] == "untyped" && names["varve"] == "varve" && names["a\0b"] == "a_b")
    #expect(names["true"] == "true" && names["id"] == "id")
  }

  @Test func `are found in any case of ASCII letters, and byte by byte otherwise`() {
    let names = SQLNames(types: ["Über", "é"])
    #expect(names.text(of: FoldedName("ÜBER")) == "Über")
    #expect(names.text(of: FoldedName("über")) == nil)
    #expect(names.text(of: FoldedName("e\u{301}")) == nil)
  }

  @Test func `do not depend on the order of the keys`() {
    let keys: [PropertyKey] = ["a", "A", "a_2", "A_2", "id", "Id", "id_2"]
    let names = SQLNames(keys: keys).names
    for _ in 0..<20 { #expect(SQLNames(keys: keys.shuffled()).names == names) }
    #expect(Set(names.values.map { FoldedName($0) }).count == keys.count)
  }
}

@Suite("Words of SQL")
struct SQLWordsTests {
  private static let cases: [(sql: String, word: String)] = [
    ("SELECT * FROM hat", "Hat"), (#"FROM "my type""#, "my type"), (#"FROM "a""b""#, "a\"b"),
    ("FROM [my type] x", "my type"), ("FROM `a``b`", "a`b"), ("FROM 'Hat'", "hat"),
    ("FROM Über", "Über"), ("/* no */ t1", "t1"), ("-- no\nt1", "t1"), ("a.t1", "t1"),
    ("x'00'||t1", "t1"), ("'it''s' t1", "t1"), ("t1-- end", "t1"), ("t1/*", "t1"),
  ]

  @Test(arguments: cases) func `are its names`(one: (sql: String, word: String)) {
    #expect(SQLWords(one.sql).contains(one.word), "\(one.sql)")
  }

  @Test(arguments: ["-- t1", "/* t1 */", "/* t1", "xt1", "t12", "'a t1'", "\"a t1\"", "[a t1"])
  func `are not in comments and not parts of others`(sql: String) {
    #expect(!SQLWords(sql).contains("t1"))
  }
}

@Suite("The nearest name")
struct NearestNameTests {
  private static let cases: [(name: String, nearest: String?)] = [
    ("Hut", "Hat"), ("hat", "Hat"), ("colr", "color"), ("colro", "color"), ("sixe", "size"),
    ("lst", "list"), ("zzz", nil), ("", nil), ("x", nil),
  ]

  @Test(arguments: cases)
  func `has few other letters`(one: (name: String, nearest: String?)) {
    let names = ["Hat", "color", "size", "list"]
    #expect(NearestName.of(one.name, among: names) == one.nearest)
  }
}

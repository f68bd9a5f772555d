#if CommandLine && Server
import Foundation
import Synchronization
import Testing
import VarveCore
import VarveJSON
import VarveServer
import VarveStore
import VarveTestSupport

/// What SQL of a server's callers may do.
@Suite struct RemoteSQLTests {
  private static func sql(_ server: Served, _ sql: String, at asOf: String? = nil) async throws
    -> Reply
  {
    let moment = asOf.map { #","asOf":"\#($0)""# } ?? ""
    let body = #"{"op":"sql","sql":\#(JSON.string(sql).text)\#(moment)}"#
    return try await server.send("POST", "/v1/spaces/hats/operations", body)
  }

  private static let refused = [
    "select hex(fts3_tokenizer('simple'))", "select fts3_tokenizer('zz', x'0102030405060708')",
    "select load_extension('x')", "select sqlite_version()", "select sqlite_compileoption_get(0)",
    "select last_insert_rowid()", "select varve_elements(id, 1) from Hat",
    "select json_patch('{}', '{}')", "select jsonb_patch('{}', '{}')",
    "select varve_stamp(1)", "select value from varve_meta", "select payload from varve_block",
    "select payload from varve_commit", "select count(*) from varve_meta",
    "select count(*) from varve_block",
    "select name from sqlite_master", "select name from sqlite_schema",
    "select name from temp.sqlite_master", "select * from pragma_table_info('Hat')",
    "select * from pragma_database_list", "select * from dbstat", "select * from sqlite_dbpage",
    "select * from varve_past_identity",
    "with Hat as (select * from varve_block) select * from Hat",
    "select * from Hat where color in (select value from varve_meta)",
    "select (select max(value) from varve_meta) from Hat",
    "select count(*) filter (where exists (select value from varve_meta)) from Hat",
    "pragma user_version", "attach ':memory:' as x", "delete from Hat", "vacuum into '/tmp/x'",
    "create temp table x (a)", "explain pragma user_version",
    "select 1 as one\0", "select color from Hat\0 where color = 'blue'",
  ]

  @Test func `it reads the tables of types and calls functions that compute`() async throws {
    try await Served.with { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat","id":"h1","set":{"color":"red","n":2}}"#)
      try await server.run(#"{"op":"set","id":"h1","set":{"n":"two"}}"#)
      for sql in Self.refused {
        let reply = try await Self.sql(server, sql)
        #expect(reply.status == 400, "\(sql): \(reply)")
        #expect(try reply.json["code"] == "invalidQuery", "\(sql): \(reply)")
      }
      let allowed = [
        "select * from Hat", "select color, upper(color) as u from Hat where n is not null",
        "select varve_text(id) as id from Hat", "select count(*) as n, max(color) as c from Hat",
        "select row_number() over (order by color) as n from Hat",
        "with recursive c(x) as (select 1 union all select x + 1 from c where x < 5) select x from c",
        "with Hat as (select 1 as x) select * from Hat",
        "select key, value from json_each('[1,2]')", "select printf('%5.2f|%-4d', 1.5, 2) as t",
        "select instr(color, 'e') as n, replace(color, 'r', 'b') as t, trim(' a ') as u from Hat",
        "select strftime('%Y', 'now') > '2000' as y",
        "select json_extract('{\"a\":1}', '$.a') as a",
        "select h.color from Hat h join Hat i on h.id = i.id", "select 1 as one",
        "select random() as r, hex(randomblob(2)) as b, date('now') as d",
      ]
      for sql in allowed {
        let reply = try await Self.sql(server, sql)
        #expect(reply.status == 200, "\(sql): \(reply)")
      }
      let past = try await Self.sql(server, "select n from Hat", at: "2200-01-01")
      #expect(past.status == 200, "\(past)")
    }
  }

  @Test func `the inspector's own SQL is permitted`() async throws {
    let scratch = try Scratch()
    try await Served.with(scratch: scratch) { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat","id":"h1","set":{"color":"red"}}"#)
      try await server.run(#"{"op":"create","type":"Band","id":"b1"}"#)
      try await server.run(#"{"op":"relate","from":"h1","kind":"owns","to":"b1"}"#)
      try await server.run(#"{"op":"erase","ids":["h1"]}"#)
      let queries = [
        "select name, table_name from varve_type",
        "select k.name as key from varve_column as c join varve_key as k on k.number = c.key "
          + "join varve_type as t on t.number = c.type where c.column_name is not null",
        "select t.name as type, sum(i.life & 10 <> 0) as n from varve_identity as i "
          + "join varve_type as t on t.number = i.type where i.life & 1 group by t.number",
        "select distinct varve_text(source) as id from varve_link where kind = 1",
        "select distinct w.row, w.time >> 16 as t from varve_touch as w join main.\"Hat\" as e on e.row = w.row",
        "select min(number) as number from varve_recent_touch",
        "select number, touches from varve_recent_touch",
        "select distinct time >> 16 as t from varve_unlink limit 10",
        "select n from varve_commit where instr(header, x'00') > 0",
      ]
      for sql in queries {
        let reply = try await Self.sql(server, sql)
        #expect(reply.status == 200, "\(sql): \(reply)")
      }
      // Tables that are created when they are first needed.
      for sql in [
        "select max(time) >> 16 as t from varve_horizon",
        "select max(hex(substr(field, 1, 8))) as t from varve_outline",
        "select count(*) as n from varve_awaited as a join varve_commit as c on c.n = a.n",
      ] {
        let reply = try await Self.sql(server, sql)
        #expect(reply.status == 200 || reply.text.contains("no such table"), "\(sql): \(reply)")
      }
    }
  }

  // MARK: Time

  /// SQL of which SQLite does something for hours without a look at the deadline.
  private static let endless = [
    "select length(printf('%.*c', 900000000, 'x')) as n",
    "select length(format('%0900000000d', 1)) as n",
    "select length(printf('\(String(repeating: "%900000c", count: 5_000))', 'x')) as n",
    "select instr(replace(hex(zeroblob(4000000)), '0', 'a'), "
      + "replace(hex(zeroblob(2000000)), '0', 'a') || 'b') as n",
    "select length(replace(hex(zeroblob(7000000)), hex(zeroblob(3000000)) || 'b', '')) as n",
    "select length(trim(hex(zeroblob(7000000)), replace(hex(zeroblob(400000)), '0', 'ab'))) as n",
    doubling { "select p.x from a\($0) p, a\($0) q" },
    doubling { "select x from a\($0) union all select x from a\($0)" },
    doubling { "select x + x as x from a\($0)" },
    doubling { "select \"x\" + [x] + `x` as x from \"a\($0)\"" },
    doubling(columns: "(x)") { "select x + /* x */ x -- x\n from a\($0)" },
    "select " + String(repeating: "1 + ", count: 40_000) + "1",
  ]

  /// Table expressions that each name the one before twice.
  private static func doubling(columns: String = "", _ body: (Int) -> String) -> String {
    let parts = (1...40).map { "a\($0)\(columns) as (\(body($0 - 1)))" }
    return "with a0 as (select n as x from Hat), \(parts.joined(separator: ", ")) select * from a40"
  }

  @Test(arguments: Self.endless.indices)
  func `what would take hours is refused at once`(index: Int) async throws {
    var limits = ServerLimits()
    // What runs out of time is 503.
    limits.requestSeconds = 20
    try await Served.with(limits: limits) { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat","set":{"n":2}}"#)
      let reply = try await Self.sql(server, Self.endless[index])
      #expect(reply.status == 400, "\(reply)")
    }
  }

  @Test func `ordinary table expressions are not taken for endless ones`() async throws {
    try await Served.with { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat","set":{"n":2,"color":"red"}}"#)
      let reply = try await Self.sql(
        server,
        """
        with big(id, n, color) as (select id, n, color from Hat where n > 1 and n < 100 and n <> 7),
          named as (select color, count(*) as n, max(n) as most, min(n) as least from big
            where color is not null and color <> '' group by color having count(*) > 0),
          ranked as (select color, n, most, least, rank() over (order by n desc) as place from named),
          both as (select r.color, r.n, s.n as m from ranked r join named s on s.color = r.color
            union all select color, n, n from named)
        select color, sum(n) as n, (select count(*) from big b where b.color = both.color) as k
        from both group by color order by n desc, color limit 10
        """
      )
      #expect(reply.status == 200, "\(reply)")
    }
  }

  /// Operations of very many arguments.
  private static let wide = [
    #"{"op":"query","type":"Hat","order":[\#(list(100_000) { #""k\#($0)""# })]}"#,
    #"{"op":"read","refs":[\#(list(3_000) { _ in #""h1""# })],"keys":[\#(list(100_000) { #""k\#($0)""# })]}"#,
    #"{"op":"query","type":"Hat","where":{"@or":[\#(list(300_000) { #"{"n":\#($0)}"# })]}}"#,
    #"{"op":"query","type":"Hat","where":{"n":{"in":[\#(list(1_500_000) { "\($0)" })]}}}"#,
  ]

  private static func list(_ count: Int, _ element: (Int) -> String) -> String {
    (0..<count).map(element).joined(separator: ",")
  }

  @Test(arguments: Self.wide.indices)
  func `operations of very many arguments look at the deadline`(index: Int) async throws {
    var limits = ServerLimits()
    limits.requestSeconds = 1
    try await Served.with(limits: limits) { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat","id":"h1","set":{"n":2}}"#)
      let start = ContinuousClock.now
      let path = "/v1/spaces/hats/operations"
      let reply = try await server.send("POST", path, Self.wide[index])
      #expect(reply.status == 503 || reply.status == 400, "\(reply.description.prefix(300))")
      #expect(ContinuousClock.now - start < .seconds(20))
    }
  }

  @Test func `a timeline by very many authors has a size`() async throws {
    try await Served.with { server in
      try await server.create()
      let lines = (0..<200).map { #"{"op":"create","type":"Hat","author":"a\#($0)"}"# }
      let type = "application/jsonl"
      let path = "/v1/spaces/hats/operations"
      _ = try await server.send("POST", path, lines.joined(separator: "\n"), type: type)
      let wish = #"{"op":"timeline","intervals":100000,"by":"author"}"#
      let reply = try await server.send("POST", path, wish)
      #expect(reply.status == 400, "\(reply.description.prefix(300))")
      #expect(try reply.json["code"] == "invalidQuery")
    }
  }

  // MARK: Bounded functions

  @Test func `bounded functions give what SQLite's own give`() async throws {
    let store = try await Store.open(.inMemory)
    let texts = [
      "NULL", "''", "'a'", "'banana'", "'%'", "x''", "x'616200'", "1", "-1.5", "'ñandú'", "'  x '",
    ]
    var calls: [String] = []
    for one in texts {
      calls += ["trim(\(one))", "ltrim(\(one))", "rtrim(\(one))", "printf(\(one))"]
      for other in texts {
        calls += [
          "instr(\(one), \(other))", "trim(\(one), \(other))", "ltrim(\(one), \(other))",
          "rtrim(\(one), \(other))", "printf('%s|%q|%Q', \(one), \(other))",
          "replace('banana', \(one), \(other))", "replace(\(one), 'a', \(other))",
          "printf('%5d|%-5s|%05.1f', \(one), \(other), \(one))", "format(\(one), \(other))",
        ]
      }
    }
    calls += [
      "printf('%*d', 5, 3)", "printf('%.*f', 2, 1.234)", "printf('%%')",
      "printf('%c%c', 'ab', 'c')",
      "printf()", "printf('%,d', 1234567)", "printf('%+d %x %X %o', 5, 255, 255, 8)",
      "printf('%e %g %G', 1.5, 1.5, 1.5)", "printf('%.3s', 'abcdef')", "printf('%!s', 'é')",
      "printf('%lld', 5)", "printf('%z')", "printf('%5')", "printf('%s')", "instr('a')",
      "replace('a')",
      "trim()", "instr('a', 'b', 'c')", "printf('%n')", "printf('%.*c', 3, 'x')",
      "printf('%-*s|', 6, 'x')",
    ]
    let bounds = ReadBounds(resultByteCount: 1 << 20, memoryByteCount: 64 << 20)
    for call in calls {
      let sql = "SELECT \(call) AS a, typeof(\(call)) AS t"
      let plain = try? await store.rows(sql: sql)
      let bounded = try? await ReadBounds.$current.withValue(bounds) {
        try await store.rows(sql: sql)
      }
      #expect(plain == bounded, "\(call)")
    }
    #expect(calls.count > 1_000)
  }

  @Test func `no program's SQL has a pointer of the process either`() async throws {
    let store = try await Store.open(.inMemory)
    await expectFailure(.invalidQuery) {
      try await store.rows(sql: "SELECT fts3_tokenizer(?)", [.string("simple")])
    }
    await expectFailure(.invalidQuery) {
      try await store.rows(
        sql: "SELECT fts3_tokenizer(?, ?)",
        [.string("zz"), .data(Data(repeating: 1, count: 8))]
      )
    }
    // It may read Varve's own tables.
    #expect(try await store.rows(sql: "SELECT count(*) AS n FROM varve_commit").count == 1)
  }

  // MARK: The end of the process

  @Test func `the process ends although its threads do not`() async throws {
    let hasEnded = Mutex(false)
    let last = LastResort(after: 1) { hasEnded.withLock { $0 = true } }
    last.begin()
    // This thread does nothing else meanwhile.
    try await Served.aside { Thread.sleep(forTimeInterval: 2) }
    #expect(hasEnded.withLock { $0 })
    let other = LastResort(after: 1) { hasEnded.withLock { $0 = false } }
    other.begin()
    other.disarm()
    try await Served.aside { Thread.sleep(forTimeInterval: 2) }
    #expect(hasEnded.withLock { $0 })
  }
}
#endif

#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite struct WritingTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `init makes a store once`() async throws {
    let path = scratch.path("new.varve")
    let first = try await Program.varve("init", path, "--json")
    #expect(first.status == 0)
    #expect(try first.result["created"] == true)
    let second = try await Program.varve("init", path, "--json")
    #expect(try second.result["created"] == false)
    #expect(try second.result["replica"] == first.result["replica"])
  }

  @Test func `set creates with a type, writes differences, and keeps the rest`() async throws {
    let store = scratch.path("hats.varve")
    _ = try await Program.varve("init", store)
    let steps: [(arguments: [String], outcome: Document)] = [
      (["--type", "Hat", "color=red", "size:=12"], "created"),
      (["color=red", "size:=12"], "unchanged"),
      (["color=blue", "size:=12"], "changed"),
      (["--type", "Hat", "color=blue"], "unchanged"),
      (["size:=null"], "changed"),
    ]
    for step in steps {
      let run = try await Program.varve(["set", store, "hat-1"] + step.arguments + ["--json"])
      #expect(run.status == 0)
      #expect(try run.result["outcome"] == step.outcome)
      #expect(try (run.result["commit"] == .null) == (step.outcome == "unchanged"))
    }
    let entity = try await Program.varve("get", store, "hat-1", "--json").result
    #expect(try entity["properties"] == ["color": "blue"])
  }

  @Test func `what is given twice is refused, because only one could count`() async throws {
    let store = scratch.path("hats.varve")
    for arguments in [["init", store], ["set", store, "h", "--type", "Hat", "size:=1"]] {
      let run = try await Program.varve(arguments)
      #expect(run.status == 0, "\(arguments): \(run.errors)")
    }
    try Data("a,b\n1,2\n".utf8).write(to: URL(fileURLWithPath: scratch.path("a.csv")))
    let csv = ["import", store, scratch.path("a.csv"), "--type", "Cap"]
    for arguments in [
      ["set", store, "h", "size:=2", "size:=3"], ["create", store, "Hat", "a=1", "a=2"],
      ["update", store, "Hat", "size:=2", "size=x"],
      ["upsert", store, "Hat", "--on", "size", "size:=1", "size:=2"],
      csv + ["--rename", "a=x", "--rename", "a=y"],
      csv + ["--kind", "a=text", "--kind", "a=double"],
      ["resolve", store, "h", "--merge", "h"],
    ] {
      let run = try await Program.varve(arguments)
      #expect(run.status == 64, "\(arguments): \(run.output)")
    }
    let kept = try await Program.varve("get", store, "h", "size")
    #expect(kept.output == "1\n", "\(kept.output)")
  }

  @Test func `set without a type does not create`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("set", store, "hat-9", "color=red")
    #expect(run.status == 1)
    #expect(run.errors.contains("notFound"))
  }

  @Test func `set refuses another type than the entity has`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("set", store, "hat-1", "--type", "Shop", "color=red")
    #expect(run.status == 1)
    #expect(run.errors.contains("typeMismatch"))
  }

  static let values: [(written: String, read: String)] = [
    ("a:=12", "12"), ("a:=-9223372036854775808", "-9223372036854775808"), ("a:=1.5", "1.5"),
    ("a:=2.0", #"{"double":2.0}"#), (#"a:={"double":3}"#, #"{"double":3.0}"#),
    (#"a:={"double":"NaN"}"#, #"{"double":"NaN"}"#), ("a:=true", "true"), ("a=12", #""12""#),
    ("a=", #""""#), ("a=b=c", #""b=c""#), (#"a:="q\"\n\u00e9""#, "\"q\\\"\\n\u{E9}\""),
    (#"a:={"date":"2018-12-08"}"#, #"{"date":"2018-12-08T00:00:00Z"}"#),
    (
      #"a:={"date":"1999-12-31T23:59:59.125+01:00"}"#, #"{"date":"1999-12-31T22:59:59.125Z"}"#
    ),
    (#"a:={"data":"AAEC"}"#, #"{"data":"AAEC"}"#), (#"a:={"data":""}"#, #"{"data":""}"#),
    (#"a:={"entity":"shop-1"}"#, #"{"entity":"shop-1"}"#),
    (#"a:={"array":[1,"b",{"array":[]}]}"#, #"{"array":[1,"b",{"array":[]}]}"#),
    (#"a:={"dictionary":{"k":1,"j":false}}"#, #"{"dictionary":{"j":false,"k":1}}"#),
    (#"a:={"value":"x","type":"address"}"#, #"{"value":"x","type":"address"}"#),
  ]

  @Test(arguments: values)
  func `values of every kind are read as they were written`(
    value: (written: String, read: String)
  ) async throws {
    let store = scratch.path("values.varve")
    _ = try await Program.varve("init", store)
    let written = try await Program.varve("set", store, "e", "--type", "T", value.written)
    #expect(written.status == 0, "\(written.errors)")
    let read = try await Program.varve("get", store, "e", "a", "--json")
    #expect(read.output == #"{"ok":true,"result":\#(value.read)}"# + "\n")
  }

  @Test func `a key in quotes may hold anything`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("set", store, "hat-1", #""a=b:"=c"#)
    #expect(run.status == 0)
    #expect(try await Program.varve("get", store, "hat-1", "a=b:").output == "c\n")
    let found = try await Program.varve("list", store, "Hat", "--where", #""a=b:"=c"#, "--count")
    #expect(found.output == "1\n")
  }

  @Test func `create prints a fresh identifier, or takes the one given`() async throws {
    let store = try await scratch.hats()
    let fresh = try await Program.varve("create", store, "Hat", "color=pink")
    #expect(fresh.status == 0)
    let id = try #require(fresh.lines.first)
    #expect(try await Program.varve("get", store, id, "color").output == "pink\n")
    let taken = try await Program.varve("create", store, "Hat", "--id", "hat-1", "--json")
    #expect(taken.status == 1)
    #expect(try taken.document["error"]["code"] == "duplicateIdentifier")
  }

  @Test func `erase erases owned entities too, and restore restores them`() async throws {
    let store = try await scratch.hats()
    let erased = try await Program.varve("erase", store, "shop-1", "--json")
    #expect(try erased.result["erased"] == ["shop-1", "hat-1"])
    #expect(try await Program.varve("get", store, "hat-1").status == 1)
    let orphan = try await Program.varve("restore", store, "hat-1")
    #expect(orphan.status == 1)
    let restored = try await Program.varve("restore", store, "shop-1", "--json")
    #expect(try Set(restored.result["restored"].elements) == ["shop-1", "hat-1"])
    #expect(try await Program.varve("get", store, "hat-1", "color").output == "red\n")
  }

  @Test func `restore as a root leaves the owner erased`() async throws {
    let store = try await scratch.hats()
    _ = try await Program.varve("erase", store, "shop-1")
    #expect(try await Program.varve("restore", store, "hat-1", "--as-root").status == 0)
    #expect(try await Program.varve("get", store, "hat-1").status == 0)
    #expect(try await Program.varve("get", store, "shop-1").status == 1)
  }

  @Test func `erase ignores entities that are gone, unless it is strict`() async throws {
    let store = try await scratch.hats()
    #expect(try await Program.varve("erase", store, "hat-9").status == 0)
    #expect(try await Program.varve("erase", store, "hat-9", "--strict").status == 1)
  }

  @Test func `relations are seen from both ends and can be removed`() async throws {
    let store = try await scratch.hats()
    let related = try await Program.varve(
      "relate",
      store,
      "hat-1",
      "free",
      "hat-2",
      "shop-1",
      "--named",
      "near"
    )
    #expect(related.status == 0)
    _ = try await Program.varve("relate", store, "hat-2", "ownedBy", "shop-1")
    let shop = try await Program.varve("get", store, "shop-1", "--json").result
    #expect(try shop["relations"]["owns"] == ["hat-1", "hat-2"])
    let hat = try await Program.varve("get", store, "hat-1", "--json").result
    #expect(try hat["relations"]["ownedBy"] == ["shop-1"])
    #expect(try hat["relations"]["free"] == ["hat-2", "shop-1"])
    _ = try await Program.varve("unrelate", store, "shop-1", "owns", "hat-1")
    let after = try await Program.varve("get", store, "hat-1", "--json").result
    #expect(try after["relations"]["ownedBy"] == [])
  }

  @Test func `erase --dry-run lists the deaths and their reasons, and changes nothing`()
    async throws
  {
    let store = try await scratch.hats()
    _ = try await Program.varve("set", store, "dry-owner", "--type", "Shop", "name=Dry")
    _ = try await Program.varve("set", store, "dry-hat", "--type", "Hat", "color=grey")
    _ = try await Program.varve("relate", store, "dry-owner", "owns", "dry-hat")
    let run = try await Program.varve("erase", store, "dry-owner", "nobody", "--dry-run", "--json")
    #expect(run.status == 0)
    let result = try run.result
    #expect(
      try result["wouldErase"] == [
        ["id": "dry-owner", "type": "Shop", "named": true, "owners": []],
        ["id": "dry-hat", "type": "Hat", "named": false, "owners": ["dry-owner"]],
      ]
    )
    #expect(try result["wouldSurvive"] == [])
    #expect(try result["missing"] == ["nobody"])
    let text = try await Program.varve("erase", store, "dry-owner", "--dry-run")
    #expect(text.output.contains("owned by dry-owner"))
    #expect(text.output.contains("would erase 2 entities"))
    let strict = try await Program.varve("erase", store, "nobody", "--dry-run", "--strict")
    #expect(strict.status == 1)
    #expect(try await Program.varve("get", store, "dry-hat").status == 0)
  }
}
#endif

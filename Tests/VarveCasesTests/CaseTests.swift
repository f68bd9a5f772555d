import Foundation
import Testing

@Suite struct CaseTests {
  @Test(arguments: ["memory", "sqlite"])
  func `every case that is expected to pass passes`(backend: String) async throws {
    let run = try await CaseProgram.run(CaseProgram.cases, "--backend", backend)
    let failing = Set(run.lines.compactMap { $0.split(separator: " ").first.map(String.init) })
    let expected = try CaseProgram.expectedPasses
    #expect(!expected.isEmpty)
    for id in expected { #expect(!failing.contains(id), "\(id) fails") }
    #expect(run.lines.last?.contains(" passed, ") == true)
  }

  @Test func `every passing case is expected to pass from then on`() async throws {
    let run = try await CaseProgram.run(CaseProgram.cases)
    let failing = Set(run.lines.compactMap { $0.split(separator: " ").first.map(String.init) })
    let expected = Set(try CaseProgram.expectedPasses)
    let new = try CaseProgram.identifiers.filter { !failing.contains($0) && !expected.contains($0) }
    #expect(new.isEmpty, "add to Tests/Cases/expected-passes.txt: \(new.joined(separator: " "))")
    #expect(run.lines.contains { $0.hasPrefix("unsupported: ") } || run.status == 0)
  }

  @Test func `one case runs by itself`() async throws {
    let run = try await CaseProgram.run(CaseProgram.cases, "--only", "BAR-022")
    #expect(run.status == 0)
    #expect(run.lines.last == "1 passed, 0 failed")
  }

  @Test func `a failing case reports the expected and the actual value`() async throws {
    let run = try await CaseProgram.run(
      text: """
        {"cases": [{"id": "X-1", "title": "wrong", "then": [
          {"op": "create", "id": "a", "type": "t", "set": {"x": 1}},
          {"op": "expect", "that": {"prop": ["a", "x"]}, "is": 2}]}]}
        """
    )
    #expect(run.status == 1)
    #expect(run.lines.first == "X-1 wrong: expected 2, got 1")
    #expect(run.lines.last == "0 passed, 1 failed")
  }

  @Test func `an unknown operation or comparator fails its case as unsupported`()
    async throws
  {
    let run = try await CaseProgram.run(
      text: """
        {"cases": [
          {"id": "X-1", "title": "a", "then": [{"op": "levitate"}]},
          {"id": "X-2", "title": "b", "then": [
            {"op": "expect", "that": {"countAll": true}, "resembles": 0}]}]}
        """
    )
    #expect(run.lines[0].hasSuffix("got unsupported"))
    #expect(run.lines[1].hasSuffix("got unsupported"))
  }

  @Test func `an unknown field of an operation or a getter fails its case as unsupported`()
    async throws
  {
    let run = try await CaseProgram.run(
      text: """
        {"cases": [
          {"id": "X-1", "title": "a", "then": [
            {"op": "create", "id": "a", "type": "t", "sett": {"x": 1}}]},
          {"id": "X-2", "title": "b", "then": [{"op": "loadAll", "kind": "Shape", "skip": 1}]},
          {"id": "X-3", "title": "c", "then": [
            {"op": "expect", "that": {"prop": ["a", "x"], "as": "text"}, "is": null}]},
          {"id": "X-4", "title": "d", "then": [
            {"op": "import", "mapping": "m", "json": [], "polcy": {}, "bind": "r"}]}]}
        """
    )
    #expect(run.lines[0].contains("sett"))
    #expect(run.lines[1].contains("the field skip") && run.lines[1].hasSuffix("got unsupported"))
    #expect(run.lines[2].contains("the field as") && run.lines[2].hasSuffix("got unsupported"))
    #expect(run.lines[3].contains("the field polcy") && run.lines[3].hasSuffix("got unsupported"))
  }

  @Test func `loadAll takes as many objects as it is asked for`() async throws {
    let run = try await CaseProgram.run(
      text: """
        {"cases": [{"id": "X-1", "title": "a", "then": [
          {"op": "kind", "name": "Shape", "fields": {}},
          {"op": "kind", "name": "Square", "parent": "Shape", "fields": {"side": "number"}},
          {"op": "object", "id": "a", "kind": "Square", "fields": {"side": 1}, "bind": "a"},
          {"op": "object", "id": "b", "kind": "Square", "fields": {"side": 2}, "bind": "b"},
          {"op": "object", "id": "c", "kind": "Square", "fields": {"side": 3}, "bind": "c"},
          {"op": "save", "object": "$a"}, {"op": "save", "object": "$b"},
          {"op": "save", "object": "$c"},
          {"op": "loadAll", "kind": "Square", "take": 2, "bind": "two"},
          {"op": "expect", "that": {"len": {"bound": "two"}}, "is": 2},
          {"op": "loadAll", "kind": "Square", "take": 0, "bind": "none"},
          {"op": "expect", "that": {"len": {"bound": "none"}}, "is": 0},
          {"op": "loadAll", "kind": "Square", "take": 9, "bind": "all"},
          {"op": "expect", "that": {"len": {"bound": "all"}}, "is": 3}]}]}
        """
    )
    #expect(run.lines.last == "1 passed, 0 failed", "\(run.lines)")
  }

  @Test func `a failing operation fails its case unless its result is bound`() async throws {
    let run = try await CaseProgram.run(
      text: """
        {"cases": [
          {"id": "X-1", "title": "a", "then": [{"op": "set", "id": "no", "set": {"x": 1}}]},
          {"id": "X-2", "title": "b", "then": [
            {"op": "set", "id": "no", "set": {"x": 1}, "bind": "e"},
            {"op": "expect", "that": {"error": "e"}, "is": "notFound"}]}]}
        """
    )
    #expect(run.lines.last == "1 passed, 1 failed")
  }

  @Test func `a hook that throws vetoes the whole erase`() async throws {
    let run = try await CaseProgram.run(
      text: """
        {"cases": [{"id": "X-1", "title": "a", "then": [
          {"op": "create", "id": "a", "type": "t"}, {"op": "create", "id": "b", "type": "t"},
          {"op": "relate", "from": "a", "kind": "owns", "to": "b"},
          {"op": "hook", "log": "h", "throwFor": "b"},
          {"op": "erase", "ids": ["a"], "bind": "e"},
          {"op": "expect", "that": {"error": "e"}, "is": "hookRefused"},
          {"op": "expect", "that": {"log": "h"}, "is": ["a"]},
          {"op": "expect", "that": {"countAll": true}, "is": 2}]}]}
        """
    )
    #expect(run.lines.last == "1 passed, 0 failed", "\(run.lines)")
  }
}

import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// A model with a property no two may share.
private struct Member: Persistable {
  static let schema = Schema<Member>("members", uniqueTogether: [["team", "number"]]) {
    SchemaField("email", \.email, .length(3...40), .unique)
    SchemaField("team", \.team)
    SchemaField("number", \.number, .range(1...99))
  }

  var id = Identifier<Member>()
  var email: String
  var team: String?
  var number: Int?

  init(_ id: String, _ email: String, _ team: String? = nil, _ number: Int? = nil) {
    self.id = Identifier(EntityID(unchecked: id))
    self.email = email
    self.team = team
    self.number = number
  }

  init(row: EntityRow) throws {
    id = try row.id()
    email = try row.read(0)
    team = try row.read(1)
    number = try row.read(2)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(email)
    try values.append(team)
    try values.append(number)
  }

  func validate(_ validation: Validation) -> Validation {
    team == "none" ? validation.adding(key: "team", message: "strange") : validation
  }
}

@Suite("Issues of models")
struct ModelIssueTests {
  @Test(arguments: Engine.allCases)
  func `issues of models are violations after a merge that saving would refuse`(engine: Engine)
    async throws
  {
    let (one, two) = (try await makeStore(engine), try await makeStore(engine))
    try await one.save(Member("ana", "ana@x", "red", 7))
    try await two.save(Member("ann", "ana@x", "red", 8))
    try await two.save(Member("ben", "ben@x", "red", 7))
    try await one.write { tx in
      try await tx.create("members", id: "c", ["email": "c", "team": "none", "nick": "Cy"])
      try await tx.create("members", id: "d", ["email": 4, "nick": "Dee"])
    }
    try await one.merge(from: two)
    let issues = try await one.issues(of: Member.self)
    let broken = issues.compactMap { if case .broken(let broken) = $0 { broken } else { nil } }
    #expect(broken.map(\.entity) == ["c"])
    #expect(broken.first?.violations.map(\.message) == ["tooShort", "strange"])
    let unreadable = issues.compactMap {
      if case .unreadable(let row) = $0 { row } else { nil }
    }
    #expect(unreadable.map(\.id) == ["d"])
    let doubles = issues.compactMap { if case .duplicate(let double) = $0 { double } else { nil } }
    #expect(doubles.map { Set($0.entities) } == [["ana", "ann"], ["ana", "ben"]])
    #expect(doubles.map(\.keys) == [["email"], ["team", "number"]])
    guard case .unknownKey(let unknown)? = issues.last else {
      Issue.record("the unknown key is not told of")
      return
    }
    #expect(unknown.key == "nick" && unknown.entityCount == 2)
    #expect(issues.count == 5)

    try await one.mergeDuplicates(["ann"], into: "ana")
    try await one.set("ben", "number", 9)
    try await one.erase(["c", "d"])
    #expect(try await one.issues(of: Member.self) == [])
    try await one.save(Member("ana", "ana@x", "red", 10))
  }

  @Test func `issues of models end when the body returns false`() async throws {
    let store = try await makeStore(.memory)
    try await store.write { tx in
      for number in 0..<5 {
        try await tx.create("members", id: EntityID(unchecked: "m\(number)"), ["email": "x"])
      }
    }
    var count = 0
    try await store.forEachIssue(of: Member.self) { _ in
      count += 1
      return count < 3
    }
    #expect(count == 3)
  }
}

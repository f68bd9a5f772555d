import Testing
import VarveCore
import VarveTestSupport

@Suite("The fold, as to relations")
struct FoldRelationTests {
  private var a = ScriptedReplica(1)
  private var b = ScriptedReplica(2)
  private let list: EntityID = "list"
  private let members = Relation(.member, "items")

  @Test mutating func `lets an add survive a removal that had not seen it (R8)`() throws {
    let first = a.commit(at: 1, [list.isCreated(), add("m")])
    let removal = a.commit(at: 3, [remove("m", [AddID(commit: first.id, ordinal: 1)])])
    let again = b.commit(at: 2, seen: [first.id], [add("m")])
    for commits in [[first, removal, again], [again, removal, first]] {
      let state = try fold(commits).state()
      #expect(state.edges.map(\.id) == [AddID(commit: again.id, ordinal: 0)])
    }
    #expect(try fold([first, removal]).state().edges.isEmpty)
  }

  @Test mutating func `the fold, as to relations lets a commit remove its own adds`() throws {
    let commit = a.commit(
      at: 1,
      [list.isCreated(), add("m"), add("m"), remove("m", [AddID(commit: nil, ordinal: 1)])]
    )
    let state = try fold([commit]).state()
    #expect(state.edges.map(\.id.ordinal) == [2])
  }

  @Test mutating func `orders elements by position, then by add (R8)`() throws {
    let middle = ListPosition.between(nil, nil)
    let commits = [
      a.commit(at: 1, [list.isCreated(), add("2", middle), add("1", .between(nil, middle))]),
      b.commit(at: 2, [add("3", .between(middle, nil)), add("2b", middle)]),
    ]
    let state = try fold(commits.reversed()).state()
    #expect(state.edges.map(\.target.text) == ["1", "2", "2b", "3"])
    let plain = try fold([a.commit(at: 3, [add("y"), add("x")]), b.commit(at: 4, [add("w")])])
    #expect(plain.state().edges.map(\.target.text) == ["y", "x", "w"])
  }

  @Test mutating func `shows a target once in a relation, and lists every add (R8)`() throws {
    let commits = [
      a.commit(at: 1, [list.isCreated(), add("m"), add("n")]), b.commit(at: 2, [add("m")]),
    ]
    let edges = try fold(commits).state().edges(from: list, in: members)
    #expect(edges.map(\.target.text) == ["m", "n"])
    #expect(edges.map(\.adds.count) == [2, 1])
  }

  @Test mutating func `distinguishes an emptied relation from one never set (R8)`() throws {
    let commit = a.commit(at: 1, [list.isCreated(), list.says(.collection("items"))])
    let entity = try fold([commit]).state().entities[list]
    #expect(entity?.properties["items"] != nil)
    #expect(entity?.properties["items"]?.value == nil)
    #expect(entity?.properties["others"] == nil)
  }

  private func add(_ target: EntityID, _ position: ListPosition? = nil) -> ScriptedReplica.Line {
    list.says(.add(members, target: target, position: position))
  }

  private func remove(_ target: EntityID, _ adds: [AddID]) -> ScriptedReplica.Line {
    list.says(.remove(members, target: target, adds: adds))
  }
}

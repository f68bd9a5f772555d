import Testing
import VarveCore
import VarveTestSupport

@Suite("The fold, as to properties")
struct FoldPropertyTests {
  private var a = ScriptedReplica(1)
  private var b = ScriptedReplica(2)
  private let x: EntityID = "x"

  @Test
  mutating func
    `lets the greatest cell win whatever commit arrives first, and keeps the losers (R7)`() throws
  {
    let first = a.commit(at: 1, [x.isCreated(), x.has("k", 1)])
    let mine = a.commit(at: 3, [x.has("k", "a")])
    let yours = b.commit(at: 2, seen: [first.id], [x.has("k", "b")])
    for commits in [[first, mine, yours], [yours, mine, first]] {
      let entity = try #require(try fold(commits).state().entities[x])
      #expect(entity.properties["k"]?.value == "a")
      #expect(entity.history.compactMap(\.content.value) == ["a", "b", 1])
    }
  }

  @Test mutating func `breaks a tie of times by replica, the same everywhere (R4)`() throws {
    let (mine, yours) = (
      a.commit(at: 5, [x.isCreated(), x.has("k", "a")]), b.commit(at: 5, [x.has("k", "b")])
    )
    #expect(try fold([mine, yours]).state().entities[x]?.properties["k"]?.value == "b")
    #expect(try fold([yours, mine]).state().entities[x]?.properties["k"]?.value == "b")
  }

  @Test mutating func `orders cells by their own time before their commit's (R4)`() throws {
    let commits = [
      a.commit(at: 10, [x.isCreated(), x.has("k", "future", at: 99)]),
      a.commit(at: 20, [x.has("k", "present")]),
      a.commit(at: 30, [x.has("k", "past", at: 5)]),
    ]
    let state = try fold(commits).state()
    #expect(state.entities[x]?.properties["k"]?.value == "future")
    #expect(state.entities[x]?.modified == HybridTime(millisecondsSince1970: 99))
    let values = state.entities[x]?.history.compactMap(\.content.value)
    #expect(values == ["future", "present", "past"])
  }

  @Test mutating func `keeps the last of several writes to one property in one commit (R3)`() throws
  {
    let commit = a.commit(
      at: 1,
      [x.isCreated(), x.has("k", 1), x.has("k", 2), x.says(.removal("k")), x.has("k", 3)]
    )
    let entity = try #require(try fold([commit]).state().entities[x])
    #expect(entity.history.compactMap(\.content.value) == [3])
    #expect(entity.properties["k"]?.value == 3)
  }

  @Test mutating func `takes a removal as a cell like others: the past stays (R3)`() throws {
    let commits = [
      a.commit(at: 1, [x.isCreated(), x.has("k", 1)]), a.commit(at: 2, [x.says(.removal("k"))]),
    ]
    let fold = try fold(commits)
    #expect(fold.state().entities[x]?.properties["k"] == nil)
    #expect(fold.state().entities[x]?.history.count == 3)
    let before = Moment.time(HybridTime(millisecondsSince1970: 1))
    #expect(fold.state(at: before).entities[x]?.properties["k"]?.value == 1)
  }

  @Test
  mutating func
    `gives an identifier created twice the type and datestamp of the lowest stamp (R9)`() throws
  {
    let (late, early) = (
      a.commit(at: 9, [x.isCreated("Late"), x.has("k", 1)]),
      b.commit(at: 4, [x.isCreated("Early"), x.has("l", 2)])
    )
    for commits in [[late, early], [early, late]] {
      let entity = try #require(try fold(commits).state().entities[x])
      #expect(entity.type == "Early")
      #expect(entity.datestamp == HybridTime(millisecondsSince1970: 4))
      #expect(entity.properties.keys.sorted() == ["k", "l"])
    }
  }

  @Test mutating func `orders creations by datestamp, commit and place in it (R5)`() throws {
    let old = HybridTime(millisecondsSince1970: -1)
    let commits = [
      a.commit(at: 1, [EntityID("z").isCreated(), EntityID("y").isCreated()]),
      b.commit(at: 1, [EntityID("w").isCreated()]),
      a.commit(at: 2, [EntityID("v").says(.life(.created("Thing", datestamp: old)))]),
    ]
    #expect(try fold(commits).state().live.map(\.id.text) == ["v", "z", "y", "w"])
  }

  @Test mutating func `selects by cells for a time, by commits for a frontier (R6)`() throws {
    let first = a.commit(at: 1, [x.isCreated(), x.has("k", 1)])
    let late = b.commit(at: 5, seen: [first.id], [x.has("k", 2, at: 2)])
    let (time, frontier) = (
      Moment.time(HybridTime(millisecondsSince1970: 3)), Moment.frontier(Frontier([first.id]))
    )
    let (before, after) = (try fold([first]), try fold([first, late]))
    #expect(before.state(at: time).entities[x]?.properties["k"]?.value == 1)
    #expect(after.state(at: time).entities[x]?.properties["k"]?.value == 2)
    #expect(after.state(at: frontier).entities[x]?.properties["k"]?.value == 1)
  }

  @Test mutating func `withholds a commit too far ahead of the local clock until it is due (R11)`()
    throws
  {
    let ahead = a.commit(at: 600_000, [x.isCreated()])
    let fold = try fold([ahead])
    #expect(fold.state(wallMilliseconds: 0).entities.isEmpty)
    #expect(fold.state(wallMilliseconds: 300_000).isLive(x))
    #expect(fold.frontier == Frontier([ahead.id]))
  }

  @Test mutating func `the fold, as to properties changes nothing when a commit arrives again`()
    throws
  {
    let commit = a.commit(at: 1, [x.isCreated(), x.has("k", 1)])
    #expect(try fold([commit, commit, commit]).state().entities[x]?.history.count == 2)
  }
}

/// The fold of commits, in the order given.
func fold(_ commits: [Commit]) throws -> Fold {
  var fold = Fold()
  for commit in commits { try fold.insert(commit) }
  return fold
}

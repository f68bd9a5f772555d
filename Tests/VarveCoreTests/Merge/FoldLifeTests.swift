import Testing
import VarveCore
import VarveTestSupport

@Suite("The fold, as to life and ownership")
struct FoldLifeTests {
  private var a = ScriptedReplica(1)
  private var b = ScriptedReplica(2)
  private let x: EntityID = "x"
  private let y: EntityID = "y"
  private let z: EntityID = "z"

  @Test mutating func `lets an erasure win over writes and creations it had not seen (R15)`() throws
  {
    let commits = [
      a.commit(at: 1, [x.isCreated(), x.has("k", 1)]), a.commit(at: 2, [x.says(.life(.erased))]),
      b.commit(at: 3, [x.isCreated("Other"), x.has("k", 2)]),
    ]
    let state = try fold(commits).state()
    #expect(state.status(of: x) == .erased)
    #expect(state.entities[x]?.history.compactMap(\.content.value) == [2, 1])
  }

  @Test mutating func `the fold, as to life and ownership brings an entity back as it was (R15)`()
    throws
  {
    let commits = [
      a.commit(at: 1, [x.isCreated(), x.has("k", 1), x.owns(y), y.isCreated()]),
      a.commit(at: 2, [x.says(.life(.erased))]), a.commit(at: 3, [x.says(.life(.restored))]),
    ]
    #expect(try fold(Array(commits.prefix(2))).state().live.isEmpty)
    let state = try fold(commits).state()
    #expect(state.live.map(\.id) == [x, y])
    #expect(state.entities[x]?.properties["k"]?.value == 1)
  }

  @Test
  mutating func `starts a re-created entity empty, and makes its former life history only (R15)`()
    throws
  {
    let commits = [
      a.commit(at: 1, [x.isCreated("Old"), x.has("k", 1), x.has("l", 1)]),
      a.commit(at: 2, [x.says(.life(.erased))]),
      a.commit(at: 4, [x.says(.life(.recreated("New", datestamp: nil))), x.has("k", 2)]),
      b.commit(at: 3, [x.has("l", "unseen")]),
    ]
    let entity = try #require(try fold(commits).state().entities[x])
    #expect(entity.type == "New")
    #expect(entity.datestamp == HybridTime(millisecondsSince1970: 4))
    #expect(entity.properties.mapValues(\.value) == ["k": 2])
    #expect(entity.history.count == 7)
  }

  @Test
  mutating func
    `of a re-created entity drops older owners, and counts older ownerships as erased (R15)`()
    throws
  {
    let free = Relation(.free, "knows")
    let commits = [
      a.commit(
        at: 1,
        [
          x.isCreated(), y.isCreated(), z.isCreated(), y.owns(x), x.owns(z),
          y.says(.add(free, target: x, position: nil)),
          x.says(.add(free, target: y, position: nil)),
        ]
      ),
      a.commit(at: 2, [x.says(.life(.erased))]),
      a.commit(at: 3, [x.says(.life(.recreated("Thing", datestamp: nil)))]),
    ]
    let state = try fold(commits).state()
    #expect(state.status(of: x) == .live("Thing"))
    #expect(state.status(of: z) == .dead)
    #expect(state.edges(to: x, of: .owns).isEmpty)
    #expect(state.edges(from: x, in: nil).isEmpty)
    #expect(state.edges(from: y, in: nil).map(\.relation) == [free])
    #expect(state.edges(to: z, of: .owns).map(\.isFromFormerLife) == [true])
    let afterY = try fold(commits + [a.commit(at: 4, [y.says(.life(.erased))])]).state()
    #expect(afterY.status(of: x) == .live("Thing"))
  }

  @Test
  mutating func `erases with an owner all it alone owned, diamonds and cycles included (R16)`()
    throws
  {
    let (d, e): (EntityID, EntityID) = ("d", "e")
    let created = [x, y, z, d, e].map { $0.isCreated() }
    let edges = [x.owns(y), x.owns(z), y.owns(d), z.owns(d), d.owns(e), e.owns(d), e.owns(e)]
    let commits = [
      a.commit(at: 1, created + edges), a.commit(at: 2, [x.says(.life(.erased))]),
    ]
    let state = try fold(commits).state()
    #expect(state.live.isEmpty)
    #expect(state.status(of: x) == .erased)
    #expect([y, z, d, e].allSatisfy { state.status(of: $0) == .dead })
  }

  @Test mutating func `keeps entities that a live co-owner, or an unknown one, owns as well (R16)`()
    throws
  {
    let commits = [
      a.commit(at: 1, [x.isCreated(), y.isCreated(), z.isCreated(), x.owns(z), x.owns(y)]),
      a.commit(at: 2, [EntityID("unheard of").owns(y)]), a.commit(at: 3, [x.says(.life(.erased))]),
      b.commit(at: 3, [EntityID("w").isCreated(), EntityID("w").owns(z)]),
    ]
    let state = try fold(commits).state()
    #expect(state.status(of: y) == .live("Thing"))
    #expect(state.status(of: z) == .live("Thing"))
  }

  @Test
  mutating func `leaves an owner whose child is erased, and never minds free relations (R16)`()
    throws
  {
    let free = Cell.Content.add(Relation(.free), target: z, position: nil)
    let commits = [
      a.commit(at: 1, [x.isCreated(), y.isCreated(), z.isCreated(), x.owns(y), y.says(free)]),
      a.commit(at: 2, [y.says(.life(.erased))]),
    ]
    #expect(try fold(commits).state().live.map(\.id) == [x, z])
  }

  @Test mutating func `keeps cycles and self-owners alive if no entity above them is erased (R10)`()
    throws
  {
    let lines = [x.isCreated(), y.isCreated(), x.owns(y), y.owns(x), z.isCreated(), z.owns(z)]
    let commits = [a.commit(at: 1, lines)]
    #expect(try fold(commits).state().live.count == 3)
    let erased = a.commit(at: 2, [z.says(.life(.erased)), x.says(.life(.erased))])
    #expect(try fold(commits + [erased]).state().live.isEmpty)
  }

  @Test
  mutating func `kills entities that were owned by erased ones only, also by a late edge (R16)`()
    throws
  {
    let first = a.commit(at: 1, [x.isCreated(), y.isCreated()])
    let erased = a.commit(at: 2, [x.says(.life(.erased))])
    let late = b.commit(at: 3, seen: [first.id], [x.owns(y)])
    #expect(try fold([first, erased]).state().isLive(y))
    #expect(try fold([first, erased, late]).state().status(of: y) == .dead)
  }
}

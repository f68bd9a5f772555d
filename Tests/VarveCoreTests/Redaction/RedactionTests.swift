import Testing
import VarveCore
import VarveTestSupport

@Suite("Redactions")
struct RedactionTests {
  private let secret = "s3cr3t-" + String(repeating: "x", count: 40)

  private func named(_ ordinals: Int..., key: PropertyKey? = nil) -> RedactedCells {
    RedactedCells([.init(key: key, ordinals: OrdinalSet(ordinals))])
  }

  @Test func `redactions sets of ordinals are runs, and contain exactly their elements`() throws {
    var random = SplitMix64(seed: 9)
    for _ in 0..<200 {
      let places = Set((0..<30).map { _ in Int.random(in: 0..<60, using: &random) })
      let others = Set((0..<10).map { _ in Int.random(in: 0..<90, using: &random) })
      var set = OrdinalSet(places)
      set.formUnion(OrdinalSet(others))
      for place in 0..<100 {
        #expect(set.contains(place) == (places.contains(place) || others.contains(place)))
      }
      #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
      var writer = ByteWriter()
      writer.ordinalSet(set)
      let read = try writer.bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        return try reader.ordinalSet()
      }
      #expect(read == set)
    }
  }

  @Test func `redactions are in blocks as they were written`() throws {
    let commit = BlockCodingTests.commit
    let redactions = [
      Redaction(
        commit,
        [
          .init(key: nil, ordinals: OrdinalSet([0, 1, 2, 9])),
          .init(key: "näme", ordinals: OrdinalSet([4])),
        ]
      ),
      Redaction(commit, []),
    ]
    let cell = Cell(ordinal: 3, entity: "a", content: .life(.erased))
    let content = BlockContent(sections: [.cells([cell])], redactions: redactions)
    let read = try BlockContent(decoding: content.payloads()[0])
    #expect(read.redactions == redactions && read.sections == content.sections)
    for end in 1..<content.payloads()[0].count {
      _ = try? BlockContent(decoding: Array(content.payloads()[0][..<end]))
    }
  }

  @Test func `redactions remove cells from a commit whose name and chain stay`() throws {
    var replica = ScriptedReplica(1)
    let whole = replica.commit(
      at: 1,
      [
        EntityID("a").isCreated(),
        EntityID("a").has("name", .string(secret)),
        EntityID("a").owns("b"),
        EntityID("a").has("size", 3),
      ]
    )
    let rest = try whole.redacted(named(0, 1, 2))
    #expect(rest.id == whole.id)
    try rest.verify()
    #expect(rest.blocks[0].isRedacted && rest.blocks[0].digest == whole.blocks[0].digest)
    let ordinals = try rest.cells().map(\.ordinal)
    #expect(ordinals == [0, 2, 3], "lives and edges stay, whatever is named")
    #expect(try rest.redacted(named(1)).blocks == rest.blocks, "once is enough")
    let text = String(decoding: try rest.blocks[0].payload(), as: UTF8.self)
    #expect(!text.contains(secret))
  }

  @Test func `take a large value out with its chunks, and leave one that is not named`() throws {
    var replica = ScriptedReplica(1)
    let large = Value.string(String(repeating: "7", count: 3 << 20))
    let whole = replica.commit(
      at: 1,
      [
        EntityID("a").has("name", .string(secret)), EntityID("a").has("picture", large),
      ]
    )
    #expect(whole.blocks.count > 2)
    let kept = try whole.redacted(named(0))
    #expect(try kept.cells().map(\.content.value) == [large])
    let picture = try whole.redacted(named(1))
    #expect(try picture.cells().map(\.content.value) == [.string(secret)])
    #expect(picture.blocks.dropFirst().allSatisfy { $0.stored.count < 8 })
    #expect(try picture.redacted(named(0)).cells().isEmpty)
  }

  @Test func `redactions name values of a creation by their property`() throws {
    var table = Creations(
      type: "Hat",
      columns: [.init(key: "a", semanticType: ""), .init(key: "b", semanticType: "")],
      time: nil
    )
    table.ids = ["x", "y"]
    table.ordinals = [0, 1]
    table.values = [1, 2, 3, 4]
    let content = BlockContent(sections: [.creations(table)])
    let one = try #require(content.redacted(named(0, key: "b")))
    #expect(one.dropped.map(\.content.value) == [2])
    #expect(one.content.sections[0].cells.compactMap(\.content.value) == [1, 3, 4])
    let both = try #require(one.content.redacted(named(0, 1, key: "b")))
    let read = try BlockContent(decoding: both.content.payloads()[0])
    #expect(read.sections[0].cells.compactMap(\.content.value) == [1, 3])
    #expect(read.sections[0].cells.count == 4, "both are still created")
  }

  @Test func `redactions make one state, in whatever order commits arrive`() throws {
    var (left, right) = (ScriptedReplica(1), ScriptedReplica(2))
    let created = left.commit(
      at: 1,
      [
        EntityID("a").isCreated(), EntityID("a").has("name", .string(secret)),
      ]
    )
    let beside = right.commit(at: 2, seen: [created.id], [EntityID("a").has("size", 1)])
    let redaction = Redaction(created.id, [.init(key: nil, ordinals: OrdinalSet([1]))])
    let forgetting = left.redaction(at: 3, [redaction])
    let again = right.redaction(at: 4, [redaction])
    let commits = [created, beside, forgetting, again]
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
      var fold = Fold()
      for index in order { try fold.insert(commits[index]) }
      let state = fold.state()
      #expect(state.entities["a"]?.properties.keys.sorted() == ["size"])
      #expect(state.entities["a"]?.history.count == 2)
      let past = fold.state(at: .frontier(Frontier([created.id])))
      #expect(past.entities["a"]?.properties.isEmpty == true, "gone from every past state")
    }
  }

  @Test func `redactions in a commit of cells alone are damage`() throws {
    let redaction = Redaction(BlockCodingTests.commit, [])
    let content = BlockContent(sections: [], redactions: [redaction])
    let commit = ScriptedReplica.sealing(content.payloads().map { Block(sealing: $0) })
    #expect(throws: VarveError.self) { try commit.cells() }
  }
}

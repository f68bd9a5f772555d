import Testing
import VarveCore
import VarveTestSupport

@Suite("Identifiers")
struct EntityIDTests {
  @Test func `identifiers have 1 to 1,024 bytes`() throws {
    #expect(performing { try EntityID(String()) } == .invalidIdentifier)
    #expect(try EntityID(String(repeating: "a", count: 1_024)).text.utf8.count == 1_024)
    #expect(performing { try EntityID(String(repeating: "a", count: 1_025)) } == .invalidIdentifier)
    #expect(performing { try EntityID(String(repeating: "é", count: 513)) } == .invalidIdentifier)
  }

  @Test func `identifiers are read exactly as they were given, also if they look like a UUID`()
    throws
  {
    let lower = "01900000-0000-7000-8000-00000000000a"
    for text in [lower, lower.uppercased(), "{\(lower)}", lower + " ", "\0", "é", "e\u{301}"] {
      #expect(try EntityID(text).text.utf8.elementsEqual(text.utf8))
    }
    #expect(try EntityID(lower) != EntityID(lower.uppercased()))
    #expect("é" as EntityID != "e\u{301}")
  }

  @Test func `identifiers take 16 bytes if they are a lower-case UUID, and are text otherwise`()
    throws
  {
    func isUUID(_ text: String) throws -> Bool {
      if case .uuid = try EntityID(text).storage { true } else { false }
    }
    #expect(try isUUID("01900000-0000-7000-8000-00000000000a"))
    #expect(try isUUID("00000000-0000-0000-0000-000000000000"))
    #expect(try !isUUID("01900000-0000-7000-8000-00000000000A"))
    #expect(try !isUUID("01900000-0000-7000-8000-00000000000g"))
    #expect(try !isUUID("0190000000007000800000000000000a"))
    #expect(try !isUUID("01900000-0000-7000-80000-0000000000a"))
  }

  @Test func `sort by their bytes, whatever way they are held`() throws {
    var random = SplitMix64(seed: 3)
    var ids: [EntityID] = ["0", "g", "01900000", "é", "e\u{301}", "\u{FFFF}", "🧢"]
    for time in 0..<20 as Range<Int64> {
      ids.append(.new(millisecondsSince1970: time, using: &random))
    }
    let sorted = ids.shuffled(using: &random).sorted()
    let byBytes = ids.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    #expect(sorted == byBytes)
  }

  @Test func `identifiers made one after another sort one after another, and are of version 7`()
    throws
  {
    var random = SplitMix64(seed: 4)
    var last: EntityID = .new(millisecondsSince1970: 0, using: &random)
    for time in 1..<200 as Range<Int64> {
      let next = EntityID.new(millisecondsSince1970: time * 1_000_003, using: &random)
      #expect(last < next)
      let text = Array(next.text)
      #expect(text[14] == "7")
      #expect("89ab".contains(text[19]))
      last = next
    }
  }

  @Test func `identifiers of replicas are UUIDs of version 4 that read back`() throws {
    var random = SplitMix64(seed: 5)
    let replica = ReplicaID.random(using: &random)
    #expect(ReplicaID(replica.text) == replica)
    #expect(Array(replica.text)[14] == "4")
    #expect(ReplicaID("not a UUID") == nil)
  }
}

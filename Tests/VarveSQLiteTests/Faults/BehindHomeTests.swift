import Testing
import VarveTestSupport

@Suite("An index that cannot keep what its home has")
struct BehindHomeTests {
  @Test func `has written it: reads catch up first, or throw the reason why they cannot`()
    async throws
  {
    let scratch = try Scratch()
    let lines = try await Torture.run("behind", scratch.path("store"))
    #expect(
      lines == [
        "written", "read diskFull", "found diskFull", "indexed diskFull",
        "found Optional(2)", "read Optional(2)", "indexed diskFull", "commits 3", "checked []",
      ],
      "\(lines)"
    )
  }
}

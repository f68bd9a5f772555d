import Testing
import VarveCore

@Suite struct ErrorCodeTests {
  @Test(arguments: VarveError.Code.allCases)
  func `every error code is documented`(code: VarveError.Code) throws {
    let text = try Repository.text("Documentation/Commands.md")
    #expect(text.contains("\n| `\(code.rawValue)` | "))
  }
}

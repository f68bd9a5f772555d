import Testing
import VarveCore

@Suite struct ErrorCodeTests {
  @Test func `the table of error codes has a row for each code, with its remedy, and no others`()
    throws
  {
    let lines = try Repository.text("Documentation/Commands.md").split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    let table = lines.drop { $0 != "| code | means | remedy |" }.dropFirst(2)
      .prefix { $0.hasPrefix("|") }
    let rows = table.map { $0.split(separator: " | ").map { String($0) } }
    let documented = rows.map { row in
      "\(row.first ?? "") | \(row.last?.replacing(" |", with: "") ?? "")"
    }
    let codes = VarveError.Code.allCases.map { "| `\($0.rawValue)` | \($0.remedy)" }
    #expect(documented.dropLast() == codes[...])
    #expect(documented.last?.hasPrefix("| `usage`") == true)
  }

  @Test(arguments: VarveError.Code.allCases)
  func `codes that resemble each other are told apart in the design`(
    code: VarveError.Code
  ) throws {
    let text = try Repository.text("Documentation/Mechanisms.md")
    let section = text.split(separator: "\n## ").first { $0.hasPrefix("Errors") }
    #expect(section?.contains("`\(code.rawValue)`") == true)
  }

  @Test(arguments: VarveError.Code.allCases)
  func `an error without a remedy of its own has that of its code`(code: VarveError.Code) {
    #expect(VarveError(code, "m").remedy == code.remedy && code.remedy.hasSuffix("."))
    #expect(VarveError(code, "m", remedy: "r").located(at: "p").remedy == "r")
  }
}

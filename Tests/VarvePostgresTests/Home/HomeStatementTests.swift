#if CommandLine && Server
import Testing
import VarvePostgres

@Suite("The statements of a home")
struct HomeStatementTests {
  @Test(arguments: HomeStatement.allCases)
  func `about a space concern that space alone`(statement: HomeStatement) {
    let text = statement.rawValue
    let tables = text.matches(of: /varve\.(\w+)/).map { String($0.1) }.filter {
      !["names", "notes"].contains($0)
    }
    guard !statement.isOfHome, !statement.isOfCheck, !tables.isEmpty else { return }
    // Rows are added with the space, and found by it, in each table that is named.
    let additions = text.matches(of: /INSERT INTO varve\.\w+\s*\(space,/).count
    let conditions = text.matches(of: /(WHERE|AND) (block\.)?space = \$1::uuid/).count
    #expect(additions + conditions == tables.count, "\(text)")
    let values = text.matches(of: /(VALUES \(|SELECT )\$1::uuid/).count
    #expect(values == additions, "\(text)")
  }

  @Test(arguments: HomeStatement.allCases)
  func `about the home as a whole touch no log`(statement: HomeStatement) {
    guard statement.isOfHome else { return }
    let tables = Set(statement.rawValue.matches(of: /varve\.(\w+)/).map { String($0.1) })
    #expect(tables.isSubset(of: ["names", "notes", "migrations"]))
  }

  @Test(arguments: HomeStatement.allCases)
  func `the statements of a home of a check of all rows read one table each`(
    statement: HomeStatement
  ) {
    guard statement.isOfCheck else { return }
    #expect(statement.rawValue.hasPrefix("SELECT "))
    #expect(statement.rawValue.matches(of: /varve\.\w+/).count == 1)
  }

  @Test func `stand in one file: no other source of the module names a table, except migrations`()
    throws
  {
    for (file, text) in try Sources.texts(of: "VarvePostgres") {
      guard !["HomeStatement.swift", "HomeMigrations.swift"].contains(file) else { continue }
      #expect(!text.contains(/varve\.(names|notes|spaces|arrivals|blocks|probes)/), "\(file)")
    }
  }

  @Test func `the statements of a home name every space-led key first in each table`() {
    for table in HomeMigrations.steps.joined() where table.contains("CREATE TABLE varve.") {
      let isDirectory = ["varve.names", "varve.notes"].contains { table.contains($0) }
      #expect(
        isDirectory || table.contains(/PRIMARY KEY \(space|space uuid PRIMARY KEY/),
        "\(table)"
      )
    }
    for index in HomeMigrations.steps.joined() where index.contains("UNIQUE INDEX") {
      #expect(index.contains(/varve\.\w+ \(space,/), "\(index)")
    }
  }
}
#endif

#if CommandLine && Server
import ArgumentParser
import VarveCore
import VarveJSON
import VarvePostgres
import VarveServer
import VarveStore

/// `varve home check`
struct HomeCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Verify the integrity of a home.",
    discussion: """
      Reads every row of every table, and verifies every hash and every seal. Exits with 1 if \
      anything is wrong. A role that may only read is enough.

      Example:
        varve home check postgres://app@db.example/varve
      """
  )

  @Argument(help: "The database.") var url: String
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let home = try await PostgresHome(url)
    let check = try await HomeCheck.run(on: home)
    let ofHome = try await check.findings + HomeNotes.findings(at: .postgres(home))
    await home.close()
    var rows: [JSON] = []
    var table = Table([
      Table.Column(heading: "space"), Table.Column(heading: "arrivals", isNumeric: true),
      Table.Column(heading: "findings", isNumeric: true),
    ])
    for space in check.spaces {
      table.add(space.name, grouped(Int(space.arrivalCount)), grouped(space.findings.count))
      rows.append([
        "space": .string(space.name), "id": .string(space.id.text),
        "arrivals": .integer(space.arrivalCount),
        "findings": .array(space.findings.map { .string($0) }),
      ])
    }
    if !ofHome.isEmpty {
      // What is wrong with the home as a whole is about no space.
      rows.append(["space": .null, "findings": .array(ofHome.map { .string($0) })])
    }
    var answer = Answer(.array(rows))
    answer.show(table)
    let ofSpaces = check.spaces.flatMap { space in space.findings.map { "\(space.name): \($0)" } }
    for finding in ofHome + ofSpaces { answer.say(finding.printable) }
    try output.write(answer)
    if !(ofHome + ofSpaces).isEmpty { throw ExitCode.failure }
  }
}
#endif

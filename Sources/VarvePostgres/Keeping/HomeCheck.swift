import VarveCore

/// Compares what a home has with its hashes and seals: every row of every table.
package struct HomeCheck: Sendable {
  /// The checks of the spaces, in order of their names.
  package private(set) var spaces: [SpaceCheck] = []
  /// What is wrong with the home as a whole.
  package private(set) var findings: [String] = []

  /// Everything that is wrong, each with the space it is about.
  package var allFindings: [String] {
    findings + spaces.flatMap { space in space.findings.map { "\(space.name): \($0)" } }
  }

  private struct NamedSpaces {
    var ids: [String: SpaceID] = [:]
    var names: [SpaceID: [String]] = [:]

    init(_ rows: PostgresResult) {
      for row in 0..<rows.count {
        let name = rows.text(row, 1) ?? ""
        ids[name] = rows.space(row, 0)
        names[rows.space(row, 0), default: []].append(name)
      }
    }
  }

  /// Reads everything that a home has.
  ///
  /// - Throws: `VarveError`: `inputOutput` if the home cannot be reached. What is damaged is a
  ///   finding.
  /// - Complexity: O(bytes of the home).
  package static func run(on home: PostgresHome) async throws -> HomeCheck {
    var check = HomeCheck()
    let rows = try await home.reading { connection, deadline in
      try await connection.run(
        [
          HomeStatement.checkMigrations(), HomeStatement.spaces(), HomeStatement.checkSpaces(),
          HomeStatement.checkNotes(),
        ],
        until: deadline
      )
    }
    check.compareMigrations(rows[0])
    let named = NamedSpaces(rows[1])
    let spaces = (0..<rows[2].count).map { CheckedSpace(rows[2], $0) }
    check.compare(named, with: spaces)
    check.compareNotes(rows[3])
    for space in spaces.sorted(by: { ($0.name, $0.id.text) < ($1.name, $1.id.text) }) {
      check.spaces.append(try await SpaceCheck.run(on: space, at: home))
    }
    try await check.findStrays(at: home, beside: Set(spaces.map(\.id)))
    return check
  }

  private mutating func compareMigrations(_ rows: PostgresResult) {
    let numbers = (0..<rows.count).map { rows.integer($0, 0) }
    guard numbers != Array(1...Int64(HomeMigrations.newest)) else { return }
    findings.append("the migrations \(numbers) are recorded, not 1 to \(HomeMigrations.newest)")
  }

  /// Each space has one name, in both tables.
  private mutating func compare(_ named: NamedSpaces, with spaces: [CheckedSpace]) {
    for space in spaces {
      let names = named.names[space.id] ?? []
      if names.isEmpty {
        findings.append(
          "the space \(space.id), called \"\(space.name)\", is under no name"
        )
      } else if names.count > 1 {
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        findings.append("the space \(space.id) has \(names.count) names: \(list)")
      } else if names[0] != space.name {
        findings.append("the space \(space.id) is called \"\(names[0])\" and \"\(space.name)\"")
      }
    }
    compareLetters(of: named.ids.keys.sorted())
    let known = Set(spaces.map(\.id))
    for (name, id) in named.ids.sorted(by: { $0.key < $1.key }) where !known.contains(id) {
      findings.append("the name \"\(name)\" is that of the space \(id), which is not there")
    }
  }

  /// Each name is one that a host serves, and no two differ in case only.
  private mutating func compareLetters(of names: [String]) {
    for name in names where SpaceName(name) == nil {
      findings.append("the name \"\(name)\" is none that a host serves")
    }
    let alike = Dictionary(grouping: names) { $0.lowercased() }.values.filter { $0.count > 1 }
    for list in alike.sorted(by: { $0[0] < $1[0] }) {
      let quoted = list.map { "\"\($0)\"" }.joined(separator: ", ")
      findings.append("the names \(quoted) differ in case only")
    }
  }

  private mutating func compareNotes(_ rows: PostgresResult) {
    for row in 0..<rows.count where !rows.isNull(row, 3) {
      let note = HomeNote(rows.text(row, 0) ?? "", rows.text(row, 1) ?? "", rows.text(row, 2) ?? "")
      guard RowSeal.of(note) != rows.integer(row, 3) else { continue }
      findings.append(
        "the note \"\(note.name)\" of kind \"\(note.kind)\" was changed outside of Varve"
      )
    }
  }

  /// Finds rows of spaces that are not there. A space may have begun or ended meanwhile.
  private mutating func findStrays(at home: PostgresHome, beside known: Set<SpaceID>) async throws {
    let calls = [
      HomeStatement.checkSpacesOfArrivals(), HomeStatement.checkSpacesOfBlocks(),
      HomeStatement.checkSpacesOfProbes(), HomeStatement.checkSpaces(),
    ]
    let rows = try await home.reading { connection, _ in
      // The statements look at whole tables, however long that takes.
      try await connection.run([HomeStatement.beginReading()] + calls + [HomeStatement.rollback()])
    }
    let present = Set((0..<rows[4].count).map { rows[4].space($0, 0) }).union(known)
    for (rows, what) in zip(rows[1...3], ["arrivals", "blocks", "probes"]) {
      for row in 0..<rows.count where !present.contains(rows.space(row, 0)) {
        findings.append("there are \(what) of the space \(rows.space(row, 0)), which is not there")
      }
    }
  }
}

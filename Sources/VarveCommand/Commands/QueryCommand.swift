#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve query`
struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Read the tables of a store by SQL.",
    discussion: """
      Types are tables and keys are columns, now or in a past state, under the names that varve \
      schema prints, quoted as SQL quotes names. The statement can only read. Dates are texts in \
      UTC, YYYY-MM-DD HH:MM:SS.SSS; varve_date('2010-01-01') reads a date in any form. \
      varve_text(id) is an identifier as text, varve_json(tags) an array or a dictionary as JSON. \
      "@datestamp" and "@modified" are the dates of the entity.

      Examples:
        varve query hats.varve 'SELECT color, count(*) FROM Hat GROUP BY color'
        varve query hats.varve 'SELECT color FROM Hat WHERE size >= ?' --value 10
        varve query hats.varve 'SELECT sum(size) FROM Hat' --as-of 2018-12-31 --json
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The SQL statement.") var sql: String
  @Option(
    name: .customLong("value"),
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The value of the next placeholder, as JSON or as text; repeat for further ones.",
      valueName: "value"
    )
  )
  var values: [String] = []
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let values = try values.map { text -> Value in
      guard let json = try? JSONReader.read(text) else { return .string(text) }
      return try Value(json: json)
    }
    let table = try await file.use(readOnly: true) { store in
      try await reading.read(store) { try await $0.table(sql: sql, values) }
    }
    try output.write(try answer(table))
  }

  private func answer(_ result: SQLTable) throws -> Answer {
    let (columns, rows) = (result.columns, result.rows)
    var answer = Answer(output.json ? try SQLRow.json(rows) : .null)
    var table = Table(
      columns.indices.map { index in
        Table.Column(
          heading: columns[index],
          isNumeric: rows.allSatisfy { $0.isNumeric(at: index) }
        )
      }
    )
    for row in rows { table.add(row.values.map { $0?.description ?? "" }) }
    if rows.isEmpty { answer.say("no rows") } else { answer.show(table) }
    answer.tabulate(table)
    return answer
  }
}

extension SQLRow {
  /// Returns whether a column has a number or nothing in this row.
  fileprivate func isNumeric(at index: Int) -> Bool {
    switch values[index] {
    case nil, .int, .double: true
    default: false
    }
  }
}
#endif

import VarveCore
import VarvePostgres
import VarveReferences
import VarveSQLite
import VarveStore
import VarveTestSupport

/// Writes to a log at a home, beside other processes: names that must stay unique, and a number of
/// its own that counts its commits.
enum HomeWriter {
  static func run(_ home: String, index: String, name: String, count: Int) async throws {
    var configuration = SQLiteBackend.Configuration()
    configuration.home = try await open(home)
    let backend = try await SQLiteBackend.open(.file(index), configuration: configuration)
    let store = Store(backend: backend)
    let ledger = try EntityID("ledger \(name)")
    var number = 0
    while count == 0 || number < count {
      let reference = EntityReference("name", equals: .string("name \(number / 2)"))
        .creating("Person", ["by": .value(.string(name))])
      try await store.write { transaction in
        _ = try await transaction.findOrCreate([reference])
        guard let known = try await transaction.entity(ledger) else {
          try await transaction.create("Ledger", id: ledger, ["n": 1])
          return
        }
        try await transaction.set(ledger, "n", .int((known["n"]?.intValue ?? 0) + 1))
      }
      number += 1
      Report.line("wrote \(number)")
    }
    try await store.close()
  }

  /// Opens a log in a file, or the one that a database has under the id behind a URL's `#`.
  private static func open(_ home: String) async throws -> any LogHome {
    let parts = home.split(separator: "#").map(String.init)
    guard parts.count == 2, let space = SpaceID(parts[1]) else { return try FileHome(home) }
    return try await PostgresHome(parts[0]).log(of: space)
  }
}

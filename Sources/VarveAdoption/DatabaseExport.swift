import VarveCore
import VarveStore

/// Writes a state as the tables of a database.
final class DatabaseExport {
  private let reader: any BackendReader
  private let database: NewDatabase
  private var report = TableExport()
  private var names = ExportNames()
  private var types: [ExportedType] = []
  /// The table of each type.
  private var tables: [EntityType: String] = [:]
  private var links = ExportedLinks()
  private let passes: ExportPasses

  /// SQLite allows 2,000 columns in its usual configuration.
  private static let mostProperties = 1_999

  /// The number of passes over all entities: for their shape, the ends of their links, their rows
  /// and their links.
  private static let passCount = 4

  init(
    _ reader: any BackendReader,
    _ database: NewDatabase,
    _ progress: @escaping (TableExportProgress) throws -> Void
  ) async throws {
    self.reader = reader
    self.database = database
    let count = try await reader.types().reduce(0) { $0 + $1.count }
    passes = ExportPasses(count * Self.passCount, progress)
  }

  func write() async throws -> TableExport {
    let found = try await reader.types()
    // The names depend on all types, so that they are the same in every state.
    let typeNames = SQLNames(types: try await reader.labels() + found.map(\.type))
    names = ExportNames(taken: Array(typeNames.names.values))
    for (type, count) in found where count > 0 {
      let exported = try await ExportedType(
        type,
        in: reader,
        followingReferences: true,
        passes
      )
      guard exported.columns.count <= Self.mostProperties else {
        throw VarveError(
          .unsupported,
          "the type has \(exported.columns.count) properties",
          at: "type \"\(type)\"",
          remedy: "SQLite allows \(Self.mostProperties); export the type as comma-separated lines."
        )
      }
      types.append(exported)
      tables[type] = typeNames[type]
      try await links.survey(type, in: reader)
      try passes.advance(exported.rowCount)
    }
    for type in types { try await write(type) }
    try await writeLinks()
    try database.close()
    return report
  }

  // MARK: Entities

  private func write(_ type: ExportedType) async throws {
    let table = tables[type.type, default: ""]
    let columns = type.columns.map { column in
      let declared = column.declaredType.map { " " + $0 } ?? ""
      let key = column.target.flatMap { tables[$0] }.map { " REFERENCES \(Self.key(of: $0))" }
      return ForeignDatabase.quoted(column.name) + declared + (key ?? "")
    }
    let identifier = ForeignDatabase.quoted(type.identifierName) + " TEXT PRIMARY KEY NOT NULL"
    try create(table, [identifier] + columns)
    for column in type.columns {
      guard let reason = column.inexactnessInDatabase else { continue }
      report.inexact.append(InexactColumn(table: table, column: column.name, reason: reason))
    }
    let rows = try database.insertion(into: table, columnCount: columns.count + 1)
    try await reader.fetch(Query(type.type), pageSize: exportPageSize) { page in
      for entity in page {
        let values = type.columns.map { entity[$0.key].map(ExportedText.stored) }
        try rows.add([.string(entity.id.text)] + values)
        report.entityCount += 1
      }
      try passes.advance(page.count)
      return true
    }
  }

  private func create(_ table: String, _ columns: [String]) throws {
    let name = ForeignDatabase.quoted(table)
    try database.execute("CREATE TABLE \(name) (\(columns.joined(separator: ", ")))")
    report.tables.append(table)
  }

  /// The identifiers of a table, as the target of a foreign key.
  private static func key(of table: String) -> String { "\(ForeignDatabase.quoted(table))(id)" }

  // MARK: Relations

  private func writeLinks() async throws {
    var insertions: [ExportedLinks.Name: NewDatabase.Insertion] = [:]
    for (name, ends) in links.tables.sorted(by: { $0.key < $1.key }) {
      let table = names.take(name.text, ifEmpty: "relation")
      for (column, types) in [("source", ends.sources), ("target", ends.targets)]
      where types.count > 1 {
        let reason = InexactColumn.severalTypes
        report.inexact.append(InexactColumn(table: table, column: column, reason: reason))
      }
      let isCollection = name.type != nil
      try create(
        table,
        [column("source", ends.sources)] + (isCollection ? ["position INTEGER NOT NULL"] : [])
          + [column("target", ends.targets)]
      )
      let count = isCollection ? 3 : 2
      insertions[name] = try database.insertion(into: table, columnCount: count)
    }
    for type in types {
      try await ExportedLinks.forEach(of: type.type, in: reader) { name, source, targets in
        for (position, target) in targets.enumerated() {
          let place: [Value?] = name.type == nil ? [] : [.int(Int64(position))]
          try insertions[name]?.add([.string(source.text)] + place + [.string(target.text)])
          report.linkCount += 1
        }
      }
      try passes.advance(type.rowCount)
    }
  }

  private func column(_ name: String, _ types: Set<EntityType>) -> String {
    let table = types.count == 1 ? types.first.flatMap { tables[$0] } : nil
    return "\(name) TEXT NOT NULL" + (table.map { " REFERENCES \(Self.key(of: $0))" } ?? "")
  }
}

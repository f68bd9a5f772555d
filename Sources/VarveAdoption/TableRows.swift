import Foundation
import VarveCore
import VarveSQLite

/// A row as an entity.
struct AdoptedRow {
  let id: EntityID
  let type: EntityType
  /// The value of each key of the table; nil where the column is null.
  let values: [Value?]
}

/// The entity that a reference names, and whether its row exists.
struct ReferredRow {
  let id: EntityID
  let exists: Bool
}

/// Reads the rows of one table as entities, links or ends of references.
struct TableRows {
  let table: AdoptionPlan.Table
  let identity: RowIdentity
  /// The properties that a row determines, in the order of its values.
  let keys: [PropertyKey]
  /// The types that its rows may have.
  let types: [EntityType]
  let owned: [AdoptionPlan.Reference]
  /// The references to tables that are adopted, and those tables.
  private let references: [(reference: AdoptionPlan.Reference, target: AdoptionPlan.Table)]
  private let columns: [AdoptionPlan.Column]

  init(_ table: AdoptionPlan.Table, in plan: AdoptionPlan) throws {
    self.table = table
    identity = RowIdentity(table.identity)
    types = table.kinds.map { [EntityType](Set($0.types.values)) } ?? [table.type]
    references = table.references.compactMap { reference in
      guard let target = plan[reference.table], !target.isOmitted, !target.isLink else {
        return nil
      }
      return (reference, target)
    }
    owned = references.map(\.reference).filter(\.isOwned)
    columns = table.columns.filter { $0.property != nil }
    let replaced = Set(
      references.compactMap { Self.replacedColumn($0.reference, in: table) }.map { ForeignName($0) }
    )
    var keys = columns.compactMap(\.property)
    keys += references.filter { Self.replacedColumn($0.reference, in: table) == nil }
      .map(\.reference.property)
    for (index, column) in columns.enumerated() where replaced.contains(ForeignName(column.name)) {
      keys[index] =
        references.first {
          Self.replacedColumn($0.reference, in: table)?.isSameName(column.name) ?? false
        }?
        .reference.property ?? keys[index]
    }
    self.keys = keys
    guard Set(keys).count == keys.count else {
      throw VarveError(
        .invalidArgument,
        "two columns have the same property",
        at: "table \"\(table.name)\"",
        remedy: "Give each column of the plan a property of its own."
      )
    }
  }

  /// Returns the column whose place a reference takes; nil if it has several columns, or another
  /// reference takes the place of its column.
  private static func replacedColumn(
    _ reference: AdoptionPlan.Reference,
    in table: AdoptionPlan.Table
  ) -> String? {
    guard reference.columns.count == 1,
      table.columns.contains(where: {
        $0.name.isSameName(reference.columns[0]) && $0.property != nil
      }),
      table.references.first(where: { $0.hasColumns(reference.columns) })?.property
        == reference.property
    else { return nil }
    return reference.columns[0]
  }

  // MARK: Rows

  /// Calls the body with every row, and with the key of each that has a null in it.
  func read(
    from database: ForeignDatabase,
    _ body: (AdoptedRow?) async throws -> Void
  ) async throws {
    let key = keyExpressions(table, "s")
    let kind = [table.kinds.map { Self.column($0.column, "s") } ?? "NULL"]
    let ends = references.flatMap { target($0) }
    let own = columns.map { Self.column($0.name, "s") }
    let rows = try database.rows(select(key + kind + own + ends))
    while let row = try rows.next() {
      guard let id = identity.id(row[..<key.count]) else {
        try await body(nil)
        continue
      }
      let type = row[key.count]?.intValue.flatMap { table.kinds?.types[$0] } ?? table.type
      let values = values(row.dropFirst(key.count + 1))
      try await body(AdoptedRow(id: id, type: type, values: values))
    }
  }

  private func values(_ row: ArraySlice<Value?>) -> [Value?] {
    var values: [Value?] = []
    values.reserveCapacity(keys.count)
    for (column, stored) in zip(columns, row) {
      values.append(stored.map(column.reading.value))
    }
    var rest = row.dropFirst(columns.count)
    for (reference, target) in references {
      let count = keyExpressions(target, "t").count
      let id = RowIdentity(target.identity).id(rest.prefix(count))
      rest = rest.dropFirst(count)
      if let column = Self.replacedColumn(reference, in: table) {
        // A reference to a row that does not exist may have no identifier; the value stays.
        if let id, let place = columns.firstIndex(where: { $0.name.isSameName(column) }) {
          values[place] = .reference(id)
        }
      } else {
        values.append(id.map { .reference($0) })
      }
    }
    return values
  }

  /// Calls the body with each row and the other ends of its owning references, in their order.
  func readOwners(
    from database: ForeignDatabase,
    _ body: (EntityID, [ReferredRow?]) async throws -> Void
  ) async throws {
    let owning = references.filter(\.reference.isOwned)
    let key = keyExpressions(table, "s")
    let rows = try database.rows(select(key + owning.flatMap { end($0) }))
    while let row = try rows.next() {
      guard let id = identity.id(row[..<key.count]) else { continue }
      try await body(id, ends(row.dropFirst(key.count), of: owning))
    }
  }

  /// Whether both ends of the links of this table are adopted.
  var linksEntities: Bool { references.count == 2 }

  /// The tables of both ends of the links.
  var linkedTables: [AdoptionPlan.Table] { references.map(\.target) }

  /// Calls the body with the source and the target of each link, grouped by source.
  func readLinks(
    from database: ForeignDatabase,
    _ body: (ReferredRow, ReferredRow) async throws -> Void
  ) async throws {
    let source = end(references[0])
    let order = (1...source.count).map(String.init).joined(separator: ", ")
    let sql = select(source + end(references[1])) + " ORDER BY \(order)"
    let rows = try database.rows(sql)
    while let row = try rows.next() {
      let ends = ends(row[...], of: references)
      if let from = ends[0], let to = ends[1] { try await body(from, to) }
    }
  }

  private func ends(
    _ row: ArraySlice<Value?>,
    of references: [(reference: AdoptionPlan.Reference, target: AdoptionPlan.Table)]
  ) -> [ReferredRow?] {
    var rest = row
    return references.map { _, target in
      let count = keyExpressions(target, "t").count
      defer { rest = rest.dropFirst(count + 1) }
      guard let id = RowIdentity(target.identity).id(rest.prefix(count)) else { return nil }
      return ReferredRow(id: id, exists: rest.dropFirst(count).first == .some(.int(1)))
    }
  }

  /// Returns whether an identifier derives from a key of this table.
  func isOwn(_ id: EntityID) -> Bool { identity.derived(id) }

  // MARK: SQL

  private func select(_ expressions: [String]) -> String {
    "SELECT \(expressions.joined(separator: ", ")) FROM main.\(ForeignDatabase.quoted(table.name)) s"
  }

  private static func column(_ name: String, _ alias: String) -> String {
    "\(alias).\(ForeignDatabase.quoted(name))"
  }

  private func keyExpressions(_ table: AdoptionPlan.Table, _ alias: String) -> [String] {
    guard table.key.isEmpty else { return table.key.map { Self.column($0, alias) } }
    return ["\(alias).\(table.rowNumber ?? "rowid")"]
  }

  /// Returns the expressions of the key that a reference refers to.
  ///
  /// The database finds the row, because it compares by the affinity and collation of the target's
  /// columns: a text `1` refers to the integer 1. If there is no row, a reference to the key keeps
  /// its values.
  private func target(
    _ end: (reference: AdoptionPlan.Reference, target: AdoptionPlan.Table)
  ) -> [String] {
    let (reference, target) = end
    let source = referred(end)
    let found = keyExpressions(target, "t").map { "(SELECT \($0) \(source))" }
    let ends = reference.targetColumns.map { ForeignName($0) }
    guard !target.key.isEmpty, Set(target.key.map { ForeignName($0) }) == Set(ends) else {
      return found
    }
    return zip(found, target.key).map { found, key in
      let place = ends.firstIndex(of: ForeignName(key)) ?? 0
      return "coalesce(\(found), \(Self.column(reference.columns[place], "s")))"
    }
  }
  /// Returns the expressions of the key that a reference refers to, and whether there is such a
  /// row.
  private func end(
    _ end: (reference: AdoptionPlan.Reference, target: AdoptionPlan.Table)
  ) -> [String] {
    target(end) + ["EXISTS (SELECT 1 \(referred(end)))"]
  }

  /// Returns where the row that a reference refers to is found.
  private func referred(
    _ end: (reference: AdoptionPlan.Reference, target: AdoptionPlan.Table)
  ) -> String {
    let condition = zip(end.reference.targetColumns, end.reference.columns).map { target, own in
      "\(Self.column(target, "t")) = \(Self.column(own, "s"))"
    }.joined(separator: " AND ")
    return "FROM main.\(ForeignDatabase.quoted(end.target.name)) t WHERE \(condition)"
  }
}

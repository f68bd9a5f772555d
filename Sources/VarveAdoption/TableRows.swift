import Foundation
import VarveCore

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
  /// The properties that a row determines, in the order of its values.
  let keys: [PropertyKey]
  /// The types that its rows may have.
  let types: [EntityType]
  let owned: [AdoptionPlan.Reference]
  /// The references to tables that are adopted, and those tables.
  private let references: [ReferenceEnd]
  private let columns: [AdoptionPlan.Column]

  init(_ table: AdoptionPlan.Table, in plan: AdoptionPlan) throws {
    self.table = table
    types = table.kinds.map { [EntityType](Set($0.types.values)) } ?? [table.type]
    references = table.references.compactMap { reference in
      guard let target = plan[reference.table], !target.isOmitted, !target.isLink else {
        return nil
      }
      return ReferenceEnd(reference: reference, target: target)
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

  /// Calls the body with every row. Rows with a null in their key, and doubtful dates, are reported.
  func read(
    from database: ForeignDatabase,
    reportingTo writer: EntityWriter,
    _ body: (AdoptedRow) async throws -> Void
  ) async throws {
    let key = table.identityExpressions("s")
    let kind = [table.kinds.map { Self.column($0.column, "s") } ?? "NULL"]
    let ends = references.flatMap(\.keyExpressions)
    let own = columns.map { Self.column($0.name, "s") }
    let rows = try database.rows(select(key + kind + own + ends))
    var dates = DateRemarks(columns)
    while let row = try rows.next() {
      guard let id = table.id(row[..<key.count]) else {
        writer.report.note(table.keyRemark(row[..<key.count]))
        continue
      }
      if table.hasNull(row[..<key.count]) {
        writer.report.remark(table.keyRemark(row[..<key.count]) + ": its number identifies it")
      }
      let type = row[key.count]?.intValue.flatMap { table.kinds?.types[$0] } ?? table.type
      let values = values(row.dropFirst(key.count + 1), &dates)
      try await body(AdoptedRow(id: id, type: type, values: values))
    }
    for remark in dates.remarks(on: table) { writer.report.remark(remark) }
  }

  private func values(_ row: ArraySlice<Value?>, _ dates: inout DateRemarks) -> [Value?] {
    var values: [Value?] = []
    values.reserveCapacity(keys.count)
    for (place, (column, stored)) in zip(columns, row).enumerated() {
      let value = stored.map(column.reading.value)
      if let stored, let value { dates.take(stored, as: value, at: place) }
      values.append(value)
    }
    var rest = row.dropFirst(columns.count)
    for (reference, target) in references.map({ ($0.reference, $0.target) }) {
      let count = target.identityCount
      let id = target.id(rest.prefix(count))
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
    let key = table.identityExpressions("s")
    let rows = try database.rows(select(key + owning.flatMap(\.endExpressions)))
    while let row = try rows.next() {
      guard let id = table.id(row[..<key.count]) else { continue }
      try await body(id, ends(row.dropFirst(key.count), of: owning))
    }
  }

  /// Whether both ends of the links of this table are adopted.
  var linksEntities: Bool { references.count == 2 }

  /// The tables of both ends of the links.
  var linkedTables: [AdoptionPlan.Table] { references.map(\.target) }

  /// Calls the body with the source and the target of each link, grouped by source. An end is nil
  /// if a column of its key is null.
  func readLinks(
    from database: ForeignDatabase,
    _ body: (ReferredRow?, ReferredRow?) async throws -> Void
  ) async throws {
    let source = references[0].endExpressions
    let order = (1...source.count).map(String.init).joined(separator: ", ")
    let sql = select(source + references[1].endExpressions) + " ORDER BY \(order)"
    let rows = try database.rows(sql)
    while let row = try rows.next() {
      let ends = ends(row[...], of: references)
      try await body(ends[0], ends[1])
    }
  }

  private func ends(_ row: ArraySlice<Value?>, of references: [ReferenceEnd]) -> [ReferredRow?] {
    var rest = row
    return references.map { end in
      let count = end.target.identityCount
      defer { rest = rest.dropFirst(count + 1) }
      guard let id = end.target.id(rest.prefix(count)) else { return nil }
      return ReferredRow(id: id, exists: rest.dropFirst(count).first == .some(.int(1)))
    }
  }

  /// Returns whether an identifier derives from a key of this table.
  func isOwn(_ id: EntityID) -> Bool { RowIdentity(table.identity).derived(id) }

  private func select(_ expressions: [String]) -> String {
    "SELECT \(expressions.joined(separator: ", ")) FROM main.\(ForeignDatabase.quoted(table.name)) s"
  }

  private static func column(_ name: String, _ alias: String) -> String {
    "\(alias).\(ForeignDatabase.quoted(name))"
  }
}

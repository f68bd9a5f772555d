import VarveCore

extension AdoptionPlan {
  /// Reads the tables of an SQLite database, and plans what becomes of them.
  ///
  /// A row becomes an entity, with an identifier that derives from the table and the key; a column
  /// becomes a property; a foreign key becomes a reference, and with `ON DELETE CASCADE` also an
  /// ownership; a table of two foreign keys and nothing else becomes a relation. Declared types
  /// determine which columns are truth values and dates. The tables of Core Data are recognized.
  ///
  /// - Throws: `VarveError`: `notFound`, `inputOutput`, `invalidArgument` for a file that is no
  ///   database, `damaged`, `busy`.
  /// - Complexity: O(tables × columns).
  public init(sqlite path: String) throws { try self.init(ForeignDatabase(file: path)) }

  init(_ database: ForeignDatabase) throws {
    tables = []
    omissions = []
    let sql = "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main'"
    for row in try database.all(sql) {
      guard let name = row[0]?.stringValue, !name.hasPrefix("sqlite_") else { continue }
      if let library = Self.bookkeeping[name] {
        omissions.append("\(name): \(library)'s list of applied migrations")
        continue
      }
      guard row[1]?.stringValue == "table" else {
        let kind = row[1]?.stringValue == "virtual" ? "virtual table" : "view"
        if row[1]?.stringValue != "shadow" { omissions.append("\(name): a \(kind)") }
        continue
      }
      let form = Form(hasRowNumbers: row[2] == .int(0), isStrict: row[3] == .int(1))
      if let table = try Table(name, form, in: database) {
        tables.append(table)
      } else {
        omissions.append("\(name): its rows cannot be distinguished")
      }
    }
    tables.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    omissions.sort()
    completeReferences()
    if let coreData = try CoreDataShape(database) { coreData.apply(to: &self) }
    findLinks()
  }

  /// The tables in which libraries record the migrations that they have applied.
  private static let bookkeeping = ["grdb_migrations": "GRDB", "_fluent_migrations": "Fluent"]

  /// Gives references the names of tables and columns as they are declared, and fills in the key
  /// where a foreign key names no columns.
  private mutating func completeReferences() {
    let byName = Dictionary(
      tables.map { (ForeignName($0.name), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for index in tables.indices {
      tables[index].references = tables[index].references.compactMap { reference in
        guard let target = byName[ForeignName(reference.table)] else { return nil }
        let columns =
          reference.targetColumns.isEmpty
          ? target.key : reference.targetColumns.map { target.column(like: $0) }
        guard columns.count == reference.columns.count else { return nil }
        let own = tables[index]
        return Reference(
          columns: reference.columns.map { own.column(like: $0) },
          table: target.name,
          targetColumns: columns,
          property: reference.property,
          isOwned: reference.isOwned
        )
      }
      tables[index].nameReferences()
    }
  }

  /// Marks the tables whose rows only link two entities.
  private mutating func findLinks() {
    let targets = Set(tables.flatMap { $0.references.map { ForeignName($0.table) } })
    for index in tables.indices where !targets.contains(ForeignName(tables[index].name)) {
      let table = tables[index]
      let columns = table.references.flatMap(\.columns).map { ForeignName($0) }
      tables[index].isLink =
        table.references.count == 2 && Set(columns).count == columns.count
        && Set(columns) == Set(table.columns.map { ForeignName($0.name) })
    }
  }
}

extension AdoptionPlan {
  /// How a table is declared.
  struct Form {
    /// Whether rows have numbers, as they do in all tables but those `WITHOUT ROWID`.
    let hasRowNumbers: Bool
    let isStrict: Bool
  }
}

extension AdoptionPlan.Table {
  /// Reads the declaration of a table; nil if its rows cannot be identified.
  init?(_ name: String, _ form: AdoptionPlan.Form, in database: ForeignDatabase) throws {
    let text = Self.literal(name)
    let sql = """
      SELECT name, type, pk, hidden, "notnull" FROM pragma_table_xinfo(\(text)) ORDER BY cid
      """
    var columns: [AdoptionPlan.Column] = []
    var key: [(place: Int64, name: String)] = []
    var keyMayBeNull = false
    for row in try database.all(sql) where row[3]?.intValue != 1 {
      guard let column = row[0]?.stringValue else { continue }
      let type = row[1]?.stringValue ?? ""
      var planned = AdoptionPlan.Column(
        name: column,
        property: PropertyKey(column),
        reading: ColumnReading(declaredType: type)
      )
      planned.affinity = ColumnAffinity(declaredType: type, isStrict: form.isStrict)
      columns.append(planned)
      guard let place = row[2]?.intValue, place > 0 else { continue }
      key.append((place, column))
      if row[4] == .int(0) { keyMayBeNull = true }
    }
    // Without an index of its own, a key is the row's number, which is never null.
    let index = "SELECT count(*) FROM pragma_index_list(\(text)) WHERE origin = 'pk'"
    if try !form.hasRowNumbers || database.all(index).first?.first == .int(0) {
      keyMayBeNull = false
    }
    self.init(
      name: name,
      identity: name,
      columns: columns,
      references: try Self.references(text, in: database),
      key: key.sorted { $0.place < $1.place }.map(\.name),
      keyMayBeNull: keyMayBeNull
    )
    guard !self.key.isEmpty || rowNumber != nil else { return nil }
  }

  private static func literal(_ name: String) -> String {
    "'" + name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  private static func references(
    _ table: String,
    in database: ForeignDatabase
  ) throws -> [AdoptionPlan.Reference] {
    let sql = """
      SELECT id, "table", "from", "to", on_delete FROM pragma_foreign_key_list(\(table))
      ORDER BY id DESC, seq
      """
    var found: [(id: Int64, reference: AdoptionPlan.Reference)] = []
    for row in try database.all(sql) {
      guard let id = row[0]?.intValue, let target = row[1]?.stringValue,
        let column = row[2]?.stringValue
      else { continue }
      let last = found.last.flatMap { $0.id == id ? $0.reference : nil }
      if last != nil { found.removeLast() }
      let reference = AdoptionPlan.Reference(
        columns: (last?.columns ?? []) + [column],
        table: target,
        targetColumns: (last?.targetColumns ?? []) + [row[3]?.stringValue].compactMap(\.self),
        property: PropertyKey(column),
        isOwned: row[4]?.stringValue == "CASCADE"
      )
      found.append((id, reference))
    }
    return found.map(\.reference)
  }

  /// The name by which the row's number can be read; nil if columns have taken all of them.
  var rowNumber: String? {
    let taken = Set(columns.map { $0.name.lowercased() })
    return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
  }

  /// Returns a column's name as it is declared.
  func column(like name: String) -> String {
    columns.first { $0.name.isSameName(name) }?.name ?? name
  }

  /// Gives each reference a property of its own: that of its column, or the name of its target if
  /// it has several columns.
  mutating func nameReferences() {
    var taken: Set<PropertyKey> = []
    let names = Set(columns.map { PropertyKey($0.name) })
    for index in references.indices {
      let reference = references[index]
      let isSingle = reference.columns.count == 1
      var name = PropertyKey(isSingle ? reference.columns[0] : reference.table)
      if taken.contains(name) || !isSingle && names.contains(name) {
        name = PropertyKey((reference.columns + [reference.table]).joined(separator: "_"))
      }
      taken.insert(name)
      references[index].property = name
    }
  }
}

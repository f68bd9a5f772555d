public import VarveCore

/// What an adoption makes of each table of an SQLite database. It can be edited before it is run.
///
/// ```swift
/// var plan = try AdoptionPlan(sqlite: "app.sqlite")
/// plan["tbl_artist"]?.type = "Artist"
/// plan["tbl_artist"]?["isAlive"]?.reading = .boolean
/// plan["audit"]?.isOmitted = true
/// let report = try await store.adopt(sqlite: "app.sqlite", by: plan)
/// ```
public struct AdoptionPlan: Hashable, Sendable {
  /// The tables, in byte order of their names.
  public var tables: [Table]
  /// The tables and columns that are not adopted, with the reasons.
  public var omissions: [String]

  /// The table of a name, whatever the case of its ASCII letters.
  public subscript(name: String) -> Table? {
    get { tables.first { $0.name.isSameName(name) } }
    set {
      guard let index = tables.firstIndex(where: { $0.name.isSameName(name) }) else { return }
      if let newValue { tables[index] = newValue } else { tables.remove(at: index) }
    }
  }

  /// Omits every table except those named.
  ///
  /// - Throws: `VarveError` with code `notFound` for a name that no table has.
  public mutating func keep(only names: some Collection<String>) throws {
    for name in names where self[name] == nil {
      throw VarveError(
        .notFound,
        "there is no table \"\(name)\" to adopt",
        at: "table \(name)",
        remedy: "Name one of: \(tables.map(\.name).joined(separator: ", "))."
      )
    }
    let kept = Set(names.map { ForeignName($0) })
    for index in tables.indices {
      tables[index].isOmitted = !kept.contains(ForeignName(tables[index].name))
    }
  }
}

extension AdoptionPlan {
  /// The plan for one table.
  public struct Table: Hashable, Sendable {
    /// The table's name in the database. Identifiers derive from it, even if ``type`` is changed.
    public let name: String
    /// The type of the entities; of a table of links, the name of the relation.
    public var type: EntityType
    /// Whether the table is ignored.
    public var isOmitted = false
    /// The columns that become properties.
    public var columns: [Column]
    /// The foreign keys.
    public var references: [Reference]
    /// The columns of the key; the row's number if the table declares none.
    public let key: [String]
    /// Whether each row only links two entities, and becomes a relation. The first reference is
    /// the relation's source, and the second its target.
    public var isLink = false

    /// The name from which identifiers derive.
    let identity: String
    /// The column with the number of a row's type, and the types, if rows have several.
    var kinds: Kinds?
    /// Whether rows may have a null in their key, as SQLite allows outside tables without row ids.
    let keyMayBeNull: Bool

    init(
      name: String,
      identity: String,
      columns: [Column],
      references: [Reference],
      key: [String],
      keyMayBeNull: Bool = false
    ) {
      self.name = name
      self.identity = identity
      self.columns = columns
      self.references = references
      self.key = key
      self.keyMayBeNull = keyMayBeNull
      type = EntityType(identity)
    }

    /// The column of a name, whatever the case of its ASCII letters. Nil ignores it.
    public subscript(name: String) -> Column? {
      get { columns.first { $0.name.isSameName(name) } }
      set {
        guard let index = columns.firstIndex(where: { $0.name.isSameName(name) }) else { return }
        if let newValue { columns[index] = newValue } else { columns.remove(at: index) }
      }
    }
  }

  /// The types of the rows of a table with inheritance.
  struct Kinds: Hashable, Sendable {
    let column: String
    let types: [Int64: EntityType]
  }

  /// The plan for one column.
  public struct Column: Hashable, Sendable {
    /// The column's name in the database.
    public let name: String
    /// The property; nil to ignore the column. A reference of this column alone has its own name
    /// for it: ``Reference/property``.
    public var property: PropertyKey?
    /// How its values are read.
    public var reading: ColumnReading
    /// How SQLite converts the keys that refer to it.
    var affinity = ColumnAffinity.blob
  }

  /// The plan for one foreign key.
  public struct Reference: Hashable, Sendable {
    /// The columns of the foreign key.
    public let columns: [String]
    /// The table it refers to.
    public let table: String
    /// The columns it refers to.
    public let targetColumns: [String]
    /// The property that holds the reference. A foreign key of one column replaces its column.
    public var property: PropertyKey
    /// Whether the other entity owns the row's, as `ON DELETE CASCADE` says. The relation has the
    /// property's name.
    public var isOwned: Bool

    /// Whether the foreign key has exactly these columns.
    package func hasColumns(_ names: [String]) -> Bool {
      columns.map { ForeignName($0) } == names.map { ForeignName($0) }
    }
  }
}

/// How the values of a column are read.
public enum ColumnReading: String, Hashable, Sendable, CaseIterable {
  /// As they are stored: integers, doubles, texts and data.
  case stored
  /// 0 and 1 are truth values.
  case boolean
  /// Texts in the forms of ISO 8601 are dates, in UTC unless they name a zone, and numbers count
  /// seconds since 1970. As for SQLite, dates are in the years 0 to 9999; what is none stays as it
  /// is stored, and ``AdoptionReport/notes`` name it.
  case date
  /// Numbers count milliseconds since 1970; texts are read as for ``date``.
  case milliseconds
  /// Numbers count seconds since 2001, as Core Data stores dates.
  case referenceDate
}

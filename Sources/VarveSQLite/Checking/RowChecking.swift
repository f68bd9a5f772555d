import SQLiteLibrary
import VarveCore

/// The preparation for comparing the rows of one type.
struct RowCheck {
  let layout: TableLayout
  /// The statement that finds a row by its number.
  let statement: Statement
  /// The columns of keys, in order.
  let keyColumns: [ColumnLayout]

  static let id: Int32 = 0
  static let datestamp: Int32 = 1
  static let modified: Int32 = 2
  static let ordinal: Int32 = 3
  static let more: Int32 = 4
  static let firstKey: Int32 = 5

  init(_ layout: TableLayout, in session: Session) throws {
    self.layout = layout
    keyColumns = layout.columns.filter { $0.column != nil }
    let names =
      ["id", "datestamp", "modified", "ordinal", "more"]
      + keyColumns.compactMap { $0.column?.quotedIdentifier }
    statement = try session.connection.ownStatement(
      """
      SELECT \(names.map { "t.\($0)" }.joined(separator: ", ")) \
      FROM \(layout.table.quotedIdentifier) AS t WHERE t.row = ?
      """
    )
  }
}

/// Checks the stored form of rows, which a decoded entity does not show and queries depend on.
extension Checker {
  /// Compares the row of an entity with the replayed one.
  ///
  /// - Parameters:
  ///   - mine: the entity, live in this store.
  ///   - other: the same entity, live in the store replayed from the log.
  func checkRow(of mine: Identity, _ other: Identity, _ shadow: Session) throws {
    guard let number = mine.type, let layout = session.catalogue.layouts[number],
      let row = mine.row, let otherRow = other.row,
      let otherLayout = other.type.flatMap({ shadow.catalogue.layouts[$0] })
    else { return }
    let check: RowCheck
    if let known = rowChecks[number] {
      check = known
    } else {
      check = try RowCheck(layout, in: session)
      rowChecks[number] = check
    }
    let statement = check.statement
    statement.bind(1, row)
    defer { statement.reset() }
    guard try statement.step() else { return }
    let overflow = try statement.overflow(RowCheck.more)
    let ordinal = try shadow.ordinal(row: otherRow, otherLayout)
    let isSound =
      try statement.isExactly(mine.id, at: RowCheck.id)
      && statement.type(RowCheck.datestamp) == SQLITE_INTEGER
      && [SQLITE_INTEGER, SQLITE_NULL].contains(statement.type(RowCheck.modified))
      && statement.optionalInteger(RowCheck.ordinal) == ordinal
      && isSound(overflow, check)
    let collections = session.collections(overflow)
    let others = shadow.collections(try shadow.overflow(row: otherRow, otherLayout))
    if !isSound || collections != others {
      find("the row of entity \(mine.id) is not stored in the expected form")
    }
  }

  /// Returns whether each value is in its column in the form of the column's kind, or in the
  /// overflow column where queries read it.
  private func isSound(_ overflow: Overflow, _ check: RowCheck) throws -> Bool {
    var known: Set<Int64> = []
    for column in check.layout.columns {
      guard let entry = overflow.entries[column.keyNumber] else { continue }
      known.insert(column.keyNumber)
      if column.column != nil, !column.isSpilled { return false }
      let isOther = entry.isCollection || entry.value.map { !column.isOfKind($0) } ?? false
      if isOther, !column.hasOtherKinds { return false }
    }
    guard known.count == overflow.entries.count else { return false }
    for (index, column) in check.keyColumns.enumerated() {
      let position = RowCheck.firstKey + Int32(index)
      guard try check.statement.isForm(of: column.kind, at: position) else { return false }
      guard let entry = overflow.entries[column.keyNumber] else { continue }
      // A value is in one place. A semantic type without a value belongs to the value in the
      // column.
      let isElsewhere = entry.value != nil || entry.isCollection
      guard check.statement.isNull(position) == isElsewhere else { return false }
    }
    return true
  }
}

extension Session {
  /// Returns the to-many properties in the content of an overflow column.
  fileprivate func collections(_ overflow: Overflow) -> Set<PropertyKey> {
    Set(overflow.entries.compactMap { $1.isCollection ? catalogue.keys[$0] : nil })
  }

  fileprivate func ordinal(row: Int64, _ layout: TableLayout) throws -> Int64? {
    let statement = try connection.statement(
      "SELECT ordinal FROM \(layout.table.quotedIdentifier) WHERE row = ?"
    )
    statement.bind(1, row)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInteger(0) : nil
  }
}

extension Statement {
  /// Decodes an overflow column.
  ///
  /// - Throws: ``VarveError`` with code `damaged` if the column is not in its canonical form.
  fileprivate func overflow(_ position: Int32) throws -> Overflow {
    guard !isNull(position) else { return Overflow() }
    let bytes = blob(position)
    let overflow = try bytes.withUnsafeBytes { try Overflow($0) }
    guard type(position) == SQLITE_BLOB, overflow.encoded == bytes else {
      throw VarveError(.damaged, "an overflow column is not in its canonical form")
    }
    return overflow
  }

  /// Returns whether a column has the bytes of an identifier.
  fileprivate func isExactly(_ id: EntityID, at position: Int32) -> Bool {
    switch id.storage {
    case .uuid(let high, let low):
      type(position) == SQLITE_BLOB
        && withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
          $0.elementsEqual(bytes(position))
        }
    case .text(let text):
      type(position) == SQLITE_TEXT && bytes(position).elementsEqual(text.utf8)
    }
  }

  /// Returns whether a column is empty or has a value of a kind in its stored form.
  fileprivate func isForm(of kind: Value.Kind, at position: Int32) throws -> Bool {
    let type = type(position)
    guard type != SQLITE_NULL else { return true }
    switch kind {
    case .int, .double: return type == SQLITE_INTEGER || type == SQLITE_FLOAT
    case .bool: return type == SQLITE_INTEGER && (0...1).contains(int(position))
    case .date: return type == SQLITE_FLOAT
    case .string: return type == SQLITE_TEXT && text(position).utf8.elementsEqual(bytes(position))
    case .data: return type == SQLITE_BLOB
    case .reference: return isExactly(try id(position), at: position)
    case .array, .dictionary:
      return type == SQLITE_BLOB && (try? Value(encoded: blob(position)))?.kind == kind
    }
  }
}

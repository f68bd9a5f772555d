import VarveCore

/// The catalogue of a store: `varve_type`, `varve_key`, `varve_column`, `varve_paired`,
/// `varve_index`, and the copy of them.
///
/// Invariant, while a transaction is open that refreshed it: the copy equals the one that loading
/// it again gives, and its version is the one in the file.
final class CatalogueTables {
  let connection: Connection
  var copy = Catalogue()

  init(_ connection: Connection) { self.connection = connection }

  var layouts: [Int64: TableLayout] { @inline(__always) _read { yield copy.layouts } }
  var typeNumbers: [EntityType: Int64] { @inline(__always) _read { yield copy.typeNumbers } }
  var keyNumbers: [PropertyKey: Int64] { @inline(__always) _read { yield copy.keyNumbers } }
  var keys: [Int64: PropertyKey] { @inline(__always) _read { yield copy.keys } }
  /// The relations whose edges properties may be paired with, by the number of the property's key
  /// (R28).
  var pairForms: [Int64: Set<Catalogue.PairForm>] {
    @inline(__always) _read { yield copy.pairForms }
  }
  /// A number that rises with every change by any process.
  var version: Int64 { copy.version }
  /// The part of the store that is not complete yet.
  var awaits: Catalogue.Awaits { copy.awaits }

  func layout(_ type: EntityType) -> TableLayout? { typeNumbers[type].flatMap { layouts[$0] } }

  /// The keys of a type's rows.
  func shape(ofType number: Int64) -> EntityShape { copy.shape(ofType: number) }

  // MARK: Transactions

  /// Loads the catalogue if another connection changed it; returns whether one did.
  func refresh() throws -> Bool {
    let version = try connection.metaInteger("catalogue") ?? 0
    guard version != copy.version else { return false }
    copy = try load(version: version)
    return true
  }

  /// Restores the catalogue as it was before a transaction that was rolled back.
  func restore(_ copy: Catalogue) { self.copy = copy }

  /// Starts over with an empty catalogue after the tables were created again.
  func startOver() throws {
    let version = copy.version
    copy = Catalogue()
    copy.version = version
    try noteChange()
  }

  /// Records in the store that the catalogue, or a stored block, has changed.
  func noteChange() throws {
    copy.version += 1
    try connection.setMeta("catalogue", copy.version)
  }

  // MARK: Loading

  func load(version: Int64) throws -> Catalogue {
    var fresh = Catalogue()
    fresh.version = version
    fresh.awaits = Catalogue.Awaits(rawValue: try connection.metaInteger("awaits") ?? 0) ?? .nothing
    let keys = try connection.statement("SELECT number, name FROM varve_key")
    while try keys.step() { fresh.add(key: PropertyKey(keys.text(1)), number: keys.int(0)) }
    keys.reset()
    if try connection.hasTable("varve_paired") { try loadPairForms(into: &fresh) }
    let types = try connection.statement(
      "SELECT number, name, table_name, in_order FROM varve_type"
    )
    var layouts: [TableLayout] = []
    while try types.step() {
      layouts.append(
        TableLayout(
          typeNumber: types.int(0),
          type: EntityType(types.text(1)),
          table: types.text(2),
          isInOrder: types.int(3) != 0,
          columns: []
        )
      )
    }
    types.reset()
    var columns = try loadColumns(fresh)
    for var layout in layouts {
      for column in columns.removeValue(forKey: layout.typeNumber) ?? [] { layout.append(column) }
      fresh.set(layout)
    }
    return fresh
  }

  /// Returns the columns by the number of their type. One statement reads those of all types.
  private func loadColumns(_ catalogue: Catalogue) throws -> [Int64: [ColumnLayout]] {
    let statement = try connection.statement(
      """
      SELECT c.key, c.column_name, c.kind, c.semantic_type, c.spilled, c.type, i.key_name
      FROM varve_column AS c JOIN varve_type AS t ON t.number = c.type
      LEFT JOIN varve_key AS k ON k.number = c.key
      LEFT JOIN varve_index AS i ON i.type_name = t.name AND i.key_name = k.name
      ORDER BY c.type, c.key
      """
    )
    statement.reserve(0)
    defer { statement.reset() }
    var columns: [Int64: [ColumnLayout]] = [:]
    while try statement.step() {
      guard let key = catalogue.keys[statement.int(0)],
        let kind = Value.Kind(rawValue: UInt8(truncatingIfNeeded: statement.int(2)))
      else { throw connection.damaged("the catalogue refers to an unknown key or kind") }
      columns[statement.int(5), default: []].append(
        ColumnLayout(
          keyNumber: statement.int(0),
          key: key,
          column: statement.isNull(1) ? nil : statement.text(1),
          kind: kind,
          semanticType: statement.text(3),
          isSpilled: statement.int(4) != 0,
          hasOtherKinds: ![0, ColumnLayout.spillOfSameKind].contains(statement.int(4)),
          isIndexed: !statement.isNull(6)
        )
      )
    }
    return columns
  }

  private func loadPairForms(into catalogue: inout Catalogue) throws {
    let statement = try connection.ownStatement("SELECT key, form, kind, name FROM varve_paired")
    while try statement.step() {
      guard let kind = Relation.Kind(rawValue: UInt8(truncatingIfNeeded: statement.int(2))) else {
        throw connection.damaged("an edge of an unknown kind is paired")
      }
      let relation = Relation(kind, PropertyKey(statement.text(3)))
      let form = Catalogue.PairForm(relation: relation, isAtSource: statement.int(1) == 1)
      catalogue.pairForms[statement.int(0), default: []].insert(form)
    }
  }

  func indexedKeys(of type: EntityType) throws -> Set<PropertyKey> {
    let statement = try connection.ownStatement(
      "SELECT key_name FROM varve_index WHERE type_name = ?"
    )
    statement.bind(1, text: type.text)
    var keys: Set<PropertyKey> = []
    while try statement.step() { keys.insert(PropertyKey(statement.text(0))) }
    return keys
  }

  /// Changes the copy along with the tables.
  func change(_ body: (inout Catalogue) -> Void) throws {
    body(&copy)
    try noteChange()
  }
}

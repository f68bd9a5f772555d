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

  func layout(_ type: EntityType) -> TableLayout? { copy.layout(type) }

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
    for var layout in layouts {
      try loadColumns(of: &layout, fresh)
      fresh.set(layout)
    }
    return fresh
  }

  private func loadColumns(of layout: inout TableLayout, _ catalogue: Catalogue) throws {
    let columns = try connection.statement(
      "SELECT key, column_name, kind, semantic_type, spilled FROM varve_column WHERE type = ?"
    )
    columns.reserve(0)
    columns.bind(1, layout.typeNumber)
    defer { columns.reset() }
    let indexed = try indexedKeys(of: layout.type)
    while try columns.step() {
      guard let key = catalogue.keys[columns.int(0)],
        let kind = Value.Kind(rawValue: UInt8(truncatingIfNeeded: columns.int(2)))
      else { throw connection.damaged("the catalogue refers to an unknown key or kind") }
      layout.append(
        ColumnLayout(
          keyNumber: columns.int(0),
          key: key,
          column: columns.isNull(1) ? nil : columns.text(1),
          kind: kind,
          semanticType: columns.text(3),
          isSpilled: columns.int(4) != 0,
          isIndexed: indexed.contains(key)
        )
      )
    }
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

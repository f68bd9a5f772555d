import VarveCore

/// The types and keys seen so far and where their values stand: a copy of the catalogue's tables.
struct Catalogue: Sendable {
  private(set) var layouts: [Int64: TableLayout] = [:]
  private(set) var typeNumbers: [EntityType: Int64] = [:]
  private(set) var keyNumbers: [PropertyKey: Int64] = [:]
  private(set) var keys: [Int64: PropertyKey] = [:]
  private(set) var tableNames: Set<String> = []
  private var shapes: [Int64: EntityShape] = [:]
  /// Rises with every change, in whatever process.
  var version: Int64 = 0
  /// With which edges properties may be paired, by the number of their key (R28).
  var pairForms: [Int64: Set<PairForm>] = [:]
  /// What of the store is still to come.
  var awaits = Awaits.nothing

  /// What of a store that began with outlines is still to come.
  enum Awaits: Int64, Sendable {
    case nothing = 0
    /// The present is here, and not all of history.
    case history = 1
    /// Not even the present is here.
    case present = 2
  }

  /// Edges that properties of some key may be paired with.
  struct PairForm: Hashable, Sendable {
    let relation: Relation
    let isAtSource: Bool
  }

  func layout(_ type: EntityType) -> TableLayout? { typeNumbers[type].flatMap { layouts[$0] } }

  mutating func add(key: PropertyKey, number: Int64) {
    keyNumbers[key] = number
    keys[number] = key
  }

  /// Adds or replaces the layout of a type.
  mutating func set(_ layout: TableLayout) {
    layouts[layout.typeNumber] = layout
    typeNumbers[layout.type] = layout.typeNumber
    tableNames.insert(layout.table.lowercased())
    shapes[layout.typeNumber] = nil
  }

  /// Adds a property to a type, where it stands: a copy of many properties would cost as much as they.
  mutating func append(_ column: ColumnLayout, toType number: Int64) {
    layouts[number]?.append(column)
    shapes[number] = nil
  }

  /// Notes that rows of a type have a key in the overflow column.
  mutating func noteSpill(_ key: PropertyKey, ofType number: Int64) {
    layouts[number]?.noteSpill(key)
    shapes[number] = nil
  }

  /// The keys of a type's rows, made when first asked for: a type may get many keys before.
  mutating func shape(ofType number: Int64) -> EntityShape {
    if let shape = shapes[number] { return shape }
    guard let layout = layouts[number] else { return .empty }
    let shape = EntityShape(
      keys: layout.columns.map(\.key),
      semanticTypes: layout.columns.map(\.semanticType)
    )
    shapes[number] = shape
    return shape
  }
}

import VarveCore

/// The known types and keys, and where their values are stored. It is a copy of the catalogue's
/// tables.
struct Catalogue: Sendable {
  private(set) var layouts: [Int64: TableLayout] = [:]
  private(set) var typeNumbers: [EntityType: Int64] = [:]
  private(set) var keyNumbers: [PropertyKey: Int64] = [:]
  private(set) var keys: [Int64: PropertyKey] = [:]
  private(set) var tableNames: Set<String> = []
  private var shapes: [Int64: EntityShape] = [:]
  /// A number that rises with every change by any process.
  var version: Int64 = 0
  /// The relations whose edges properties may be paired with, by the number of the property's key
  /// (R28).
  var pairForms: [Int64: Set<PairForm>] = [:]
  /// The part of the store that is not complete yet.
  var awaits = Awaits.nothing

  /// The part that is not complete yet in a store that began with outlines.
  enum Awaits: Int64, Sendable {
    case nothing = 0
    /// The present is complete, history is not.
    case history = 1
    /// The present is not complete either.
    case present = 2
  }

  /// A relation whose edges the properties with some key may be paired with.
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

  /// Adds a property to a type in place. A copy would cost as much as all properties of the type.
  mutating func append(_ column: ColumnLayout, toType number: Int64) {
    layouts[number]?.append(column)
    shapes[number] = nil
  }

  /// Notes that rows of a type have a key in the overflow column.
  mutating func noteSpill(_ key: PropertyKey, ofType number: Int64, hasOtherKinds: Bool) {
    layouts[number]?.noteSpill(key, hasOtherKinds: hasOtherKinds)
    shapes[number] = nil
  }

  /// Returns the keys of a type's rows. The shape is created on first use because a type may get
  /// many keys before.
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

public import VarveCore

/// A type whose values are kept in a store: a typed view of its entities.
///
/// The macro `@Entity` of the module `Varve` writes the conformance; by hand it takes a schema, a
/// way to read a row and a way to write one, in the order of the schema's properties.
///
/// ```swift
/// struct Hat: Persistable {
///   static let schema = Schema<Hat>("hats") {
///     SchemaField("color", \.color, .length(1...40))
///     SchemaField("brim_size", \.brimSize)
///   }
///   var id = Identifier<Hat>()
///   var color: String
///   var brimSize: Int
///
///   init(color: String, brimSize: Int) {
///     self.color = color
///     self.brimSize = brimSize
///   }
///
///   init(row: EntityRow) throws {
///     id = try row.id()
///     color = try row.read("color")
///     brimSize = try row.read("brim_size", default: 10)
///   }
///
///   func write(to values: inout PropertyValues) throws {
///     try values.set("color", color)
///     try values.set("brim_size", brimSize)
///   }
/// }
/// ```
///
/// Two values are equal where their identifiers are, whatever else they hold; a type that wants
/// something else declares its own `==` and `hash(into:)`.
public protocol Persistable: Identifiable, Hashable, Sendable where ID == Identifier<Self> {
  /// The table, its properties and their rules.
  static var schema: Schema<Self> { get }

  /// Which entity it is.
  var id: Identifier<Self> { get set }

  /// Reads a row.
  ///
  /// - Throws: where the row cannot be read as one of these; queries then pass over it, and say so.
  init(row: EntityRow) throws

  /// Writes every property.
  ///
  /// - Throws: where one cannot be stored.
  func write(to values: inout PropertyValues) throws

  /// Reads what is left of a query's rows. The default calls ``init(row:)`` for each.
  static func readAll(_ rows: EntityRows) throws -> [Self]

  /// What must hold beyond what the schema says, checked by every local save.
  ///
  /// ```swift
  /// func validate(_ validation: Validation) -> Validation {
  ///   validation.presence(of: "owner", owner.map { .string($0) })
  /// }
  /// ```
  func validate(_ validation: Validation) throws -> Validation
}

extension Persistable {
  /// Equality of identifiers.
  public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// Nothing more.
  public func validate(_ validation: Validation) throws -> Validation { validation }

  /// Reads what is left of a query's rows, one after another.
  @inlinable
  public static func readAll(_ rows: EntityRows) throws -> [Self] {
    var models: [Self] = []
    while let row = try rows.next() {
      do {
        models.append(try Self(row: row))
      } catch {
        try rows.pass(over: row, error)
      }
    }
    return models
  }
}

extension Persistable {
  /// The type label of the entities, which is also the name of their table.
  public static var entityType: EntityType { schema.type }

  /// What others call a property that refers to one of these: `hat_id` for a `Hat`.
  public static var foreignKeyName: String { schema.model + "_id" }
}

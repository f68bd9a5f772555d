public import VarveCore

/// A type whose values are stored as entities.
///
/// The macro `@Entity` of the module `Varve` writes the conformance. A conformance written by hand
/// needs a schema, an initialiser that reads a row and a method that writes one, in the order of
/// the schema's properties.
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
/// Two values are equal if their identifiers are, whatever their properties. A type that needs
/// another equality declares its own `==` and `hash(into:)`. `@Entity` generates both for a struct
/// that names `Hashable`, and `==` for a struct that names `Equatable`. ``isSameEntity(as:)``
/// compares the identifiers in any case.
public protocol Persistable: Identifiable, Hashable, Sendable where ID == Identifier<Self> {
  /// The table, its properties and their rules.
  static var schema: Schema<Self> { get }

  /// The identifier of the entity.
  var id: Identifier<Self> { get set }

  /// Creates a model from a row.
  ///
  /// - Throws: an error if the row cannot be read as this model. Queries leave such rows out and
  ///   log them.
  init(row: EntityRow) throws

  /// Writes every property.
  ///
  /// - Throws: an error if a value cannot be stored.
  func write(to values: inout PropertyValues) throws

  /// Reads the remaining rows of a query. The default calls ``init(row:)`` for each.
  static func readAll(_ rows: EntityRows) throws -> [Self]

  /// Adds rules beyond those of the schema. Every local save checks them.
  ///
  /// ```swift
  /// func validate(_ validation: Validation) -> Validation {
  ///   validation.presence(of: "owner", owner.map { .string($0) })
  /// }
  /// ```
  func validate(_ validation: Validation) throws -> Validation
}

extension Persistable {
  /// Returns whether the identifiers are equal.
  public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// Whether both are values of one entity, regardless of their properties and of `==`.
  public func isSameEntity(as other: Self) -> Bool { id == other.id }

  /// Adds no rules.
  public func validate(_ validation: Validation) throws -> Validation {
    validation.passed(by: Self.self)
  }

  /// Reads the remaining rows of a query one by one.
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

  /// The default name of a property that refers to this model: `hat_id` for a `Hat`.
  public static var foreignKeyName: String { schema.model + "_id" }
}

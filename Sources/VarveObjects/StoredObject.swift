public import VarveCore
public import VarveModels

/// A class whose instances represent entities, with at most one live instance per identifier.
///
/// An ``Objects`` context loads and saves the instances. The macro `@Entity` of the module `Varve`
/// writes the conformance; a conformance written by hand needs the kind, methods that read a row
/// and one that writes the values.
///
/// ```swift
/// class Shape: StoredObject {
///   class var kind: EntityType { "Shape" }
///   let id: EntityID
///   init() { id = .new() }
///   required init(row: ObjectRow) throws { id = row.id }
///   func read(_ row: ObjectRow) throws {}
///   func write(to values: inout ObjectValues) throws {}
/// }
///
/// final class Square: Shape {
///   override class var kind: EntityType { "Square" }
///   var side: Double
///
///   init(side: Double) {
///     self.side = side
///     super.init()
///   }
///
///   required init(row: ObjectRow) throws {
///     side = try row.read("side")
///     try super.init(row: row)
///   }
///
///   override func read(_ row: ObjectRow) throws {
///     try super.read(row)
///     side = try row.read("side")
///   }
///
///   override func write(to values: inout ObjectValues) throws {
///     try super.write(to: &values)
///     try values.set("side", side)
///   }
/// }
/// ```
///
/// Properties of type ``Child`` refer to objects that are loaded with this one, those of type
/// ``Lazy`` to objects that are loaded on request. A class need not be `Sendable`: its instances
/// belong to the actor of their context. An `@Observable` class notifies observers of changes by
/// other writers too, because ``read(_:)`` assigns its properties.
public protocol StoredObject: AnyObject {
  /// The kind, which is the type label of the entities. It may differ from the name of the class.
  static var kind: EntityType { get }

  /// The identifier. A new object creates one; a loaded object takes that of the row.
  var id: EntityID { get }

  /// Creates a loaded object. Its children are not available yet.
  ///
  /// The context also creates instances for comparison: to find edits, and to check whether a row
  /// can be read.
  ///
  /// - Throws: an error if the row cannot be read as this class.
  init(row: ObjectRow) throws

  /// Updates an existing object from a row that another writer changed.
  ///
  /// - Throws: an error if the row cannot be read. Rows for which ``init(row:)`` throws are not
  ///   passed to this method, so an object is never half read if both read alike.
  func read(_ row: ObjectRow) throws

  /// Writes every property. Must not access the targets of children, which may not be available.
  ///
  /// - Throws: an error if a value cannot be stored.
  func write(to values: inout ObjectValues) throws

  /// The names by which properties are stored, by key paths that begin at this class; the name of
  /// ``id`` is empty. Queries by key paths need them. The default is empty.
  static var storedProperties: [AnyKeyPath: PropertyKey] { get }

  /// Adds rules that are checked before a save. The default adds none.
  func validate(_ validation: Validation) throws -> Validation
}

extension StoredObject {
  /// No names.
  public static var storedProperties: [AnyKeyPath: PropertyKey] { [:] }

  /// Returns whether both objects represent one entity.
  ///
  /// In one context that is what `===` compares, because an entity has at most one live instance
  /// there. Objects of two contexts, and an object and the one that was loaded after it was
  /// released, are different instances of one entity.
  public func isSameEntity(as other: any StoredObject) -> Bool { id == other.id }

  /// Adds no rules.
  public func validate(_ validation: Validation) throws -> Validation { validation }
}

public import VarveCore

/// A class whose instances stand for entities: one identifier is one instance, while anyone holds it.
///
/// An ``Objects`` context loads and saves them. The macro `@Entity` of the module `Varve` writes the
/// conformance; by hand it takes the kind, a way to read a row and a way to write one.
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
/// Other objects are held by ``Child``, which is loaded along, or ``Lazy``, which is loaded when it is
/// touched. A class need not be `Sendable`: its instances belong to the actor of their context. One
/// that is `@Observable` tells the Observation framework of what other writers changed, for
/// ``read(_:)`` assigns its properties.
public protocol StoredObject: AnyObject {
  /// The kind: the type label of the entities. It need not be the name of the class.
  static var kind: EntityType { get }

  /// Which entity it is. A new object makes a fresh one; a loaded one takes the row's.
  var id: EntityID { get }

  /// An object that was loaded. Its children are not at hand yet.
  ///
  /// Instances are made to compare with as well: to find edits, and to see whether a row can be read.
  ///
  /// - Throws: where the row cannot be read as one of these.
  init(row: ObjectRow) throws

  /// Takes over what a row says, for an object that is there already: someone else changed it.
  ///
  /// - Throws: where the row cannot be read. One that ``init(row:)`` throws for is not given to it, so
  ///   an object that reads both alike is never left half read.
  func read(_ row: ObjectRow) throws

  /// Writes every property, of children no more than the ``Child``: it is asked of instances whose
  /// children are not at hand.
  ///
  /// - Throws: where one cannot be stored.
  func write(to values: inout ObjectValues) throws

  /// What must hold before it is saved; nothing more by default.
  func validate(_ validation: Validation) throws -> Validation
}

extension StoredObject {
  /// Nothing more.
  public func validate(_ validation: Validation) throws -> Validation { validation }
}

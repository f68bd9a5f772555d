public import VarveCore

/// A reference to another object, which is loaded and saved with its parent and stored as its
/// identifier.
///
/// ```swift
/// final class Diagram: StoredObject {
///   static let kind: EntityType = "VennDiagram"
///   let id: EntityID
///   var left: Child<Circle>
///
///   init(left: Circle) {
///     id = .new()
///     self.left = Child(left)
///   }
///   init(row: ObjectRow) throws {
///     id = row.id
///     left = try row.read("left")
///   }
///   func read(_ row: ObjectRow) throws { left = try row.read("left") }
///   func write(to values: inout ObjectValues) throws { try values.set("left", left) }
/// }
///
/// print(diagram.left.radius)
/// ```
///
/// A child retains its target, except in a cycle: once the objects are loaded or saved, the link
/// that leads back to an object above does not retain it. If that object has been deallocated,
/// accessing the link creates it again.
///
/// The target is available once `init(row:)` has returned; accessing it earlier is a programmer
/// error and traps.
@dynamicMemberLookup
public struct Child<Target: StoredObject> {
  let link: ChildLink<Target>

  /// Creates a link to an object.
  public init(_ target: Target) { link = ChildLink(target) }

  init(_ link: ChildLink<Target>) { self.link = link }

  /// The identifier of the target.
  public var id: EntityID { link.id }

  /// The target.
  public var value: Target { link.value }

  /// Returns a property of the target.
  public subscript<V>(dynamicMember keyPath: KeyPath<Target, V>) -> V { value[keyPath: keyPath] }

  /// Accesses a property of the target.
  public subscript<V>(dynamicMember keyPath: ReferenceWritableKeyPath<Target, V>) -> V {
    get { value[keyPath: keyPath] }
    nonmutating set { value[keyPath: keyPath] = newValue }
  }
}

extension Child: Equatable {
  /// Returns whether the identifiers are equal.
  public static func == (left: Child, right: Child) -> Bool { left.id == right.id }
}

/// The state behind a ``Child``.
final class ChildLink<Target: StoredObject>: StrictLink {
  let id: EntityID
  private var held: Target?
  private weak var loose: Target?
  /// The record from which the target can be created again.
  private(set) var record: ObjectRecord?
  private var context: ContextReference?

  init(_ id: EntityID) { self.id = id }

  init(_ target: Target) {
    id = target.id
    held = target
  }

  var value: Target {
    if let held { return held }
    if let loose { return loose }
    guard let record else {
      preconditionFailure("a child is touched before its object is loaded")
    }
    guard let made: Target = record.make(id, in: context?.objects) else {
      preconditionFailure("the class \(Target.self) no longer reads what it has read before")
    }
    loose = made
    return made
  }

  var target: (any StoredObject)? { held ?? loose }
  var expected: EntityType { Target.kind }
  var isHolding: Bool { held != nil }
  func accepts(_ type: any StoredObject.Type) -> Bool { type is Target.Type }
  func join(_ objects: Objects) { context = objects.reference }
  func settle() {}

  func resolve(_ target: any StoredObject, in objects: Objects?) {
    held = target as? Target
    context = objects?.reference
  }

  func loosen(_ record: ObjectRecord, in objects: Objects?) {
    loose = held
    held = nil
    self.record = record
    context = objects?.reference
  }
}

import VarveCore

/// A link from one object to others, behind ``Child`` and ``Lazy``.
protocol ObjectLink: AnyObject {
  /// What it leads to, where that is at hand without loading it.
  var target: (any StoredObject)? { get }
  /// The object it was put into is one of a context.
  func join(_ objects: Objects)
  /// The object it was put into is saved.
  func settle()
}

/// A context as links know it, which do not keep it. They share one of these: a weak reference for each
/// link costs more than making the link.
final class ContextReference {
  private(set) weak var objects: Objects?

  init(_ objects: Objects) { self.objects = objects }
}

/// A link whose target is loaded along.
protocol StrictLink: ObjectLink {
  var id: EntityID { get }
  /// What its target must be.
  var expected: EntityType { get }
  func accepts(_ type: any StoredObject.Type) -> Bool
  /// Whether it keeps its target.
  var isHolding: Bool { get }
  /// How to make its target again, where it lets it go.
  var record: ObjectRecord? { get }
  func resolve(_ target: any StoredObject, in objects: Objects?)
  /// Lets go of the target, which leads back here: both together would never be freed. What is
  /// needed to make it again is remembered.
  func loosen(_ record: ObjectRecord, in objects: Objects?)
}

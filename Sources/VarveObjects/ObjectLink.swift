import VarveCore

/// A link from one object to others; the implementation of ``Child`` and ``Lazy``.
protocol ObjectLink: AnyObject {
  /// The target, if it is in memory.
  var target: (any StoredObject)? { get }
  /// Called when the owner joins a context.
  func join(_ objects: Objects)
  /// Called when the owner is saved.
  func settle()
}

/// A weak reference to a context, shared by its links, because a weak reference per link costs more
/// than creating the link.
final class ContextReference {
  private(set) weak var objects: Objects?

  init(_ objects: Objects) { self.objects = objects }
}

/// A link whose target is loaded with its owner.
protocol StrictLink: ObjectLink {
  var id: EntityID { get }
  /// The kind of the target.
  var expected: EntityType { get }
  func accepts(_ type: any StoredObject.Type) -> Bool
  /// Whether it retains its target.
  var isHolding: Bool { get }
  /// The record from which the target can be created again after it was released.
  var record: ObjectRecord? { get }
  func resolve(_ target: any StoredObject, in objects: Objects?)
  /// Releases the target, which leads back to the link's owner and would form a retain cycle. The
  /// record allows creating it again.
  func loosen(_ record: ObjectRecord, in objects: Objects?)
}

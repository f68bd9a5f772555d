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

/// A link whose target is loaded along.
protocol StrictLink: ObjectLink {
  var id: EntityID { get }
  /// What its target must be.
  var expected: EntityType { get }
  func accepts(_ type: any StoredObject.Type) -> Bool
  /// Whether it keeps its target.
  var isHolding: Bool { get }
  func resolve(_ target: any StoredObject, in objects: Objects?)
  /// Lets go of the target, which leads back here: both together would never be freed. What is
  /// needed to make it again is remembered.
  func loosen(_ record: ObjectRecord, in objects: Objects?)
}

/// The links a row gives to one object.
final class LinkCollector {
  private(set) var strict: [any StrictLink] = []
  /// The keys that children were asked for under.
  var keys: Set<PropertyKey> = []
  /// Objects that are at hand, though perhaps not saved.
  private let known: [EntityID: any StoredObject]
  private let objects: Objects?

  init(_ objects: Objects?, known: [EntityID: any StoredObject] = [:]) {
    self.objects = objects
    self.known = known
  }

  func child<Target>(_ id: EntityID) -> Child<Target> {
    if let target = known[id] as? Target { return Child(target) }
    let link = ChildLink<Target>(id)
    strict.append(link)
    return Child(link)
  }

  func lazy<Target>(_ id: EntityID) -> Lazy<Target> {
    Lazy(LazyLink<Target>(id, held: known[id] as? Target, objects))
  }
}

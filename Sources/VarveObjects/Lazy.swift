public import VarveCore

/// A reference to another object, which is loaded on request and stored as its identifier.
///
/// ```swift
/// if let square = try await drawing.square.load() { print(square.side) }
/// ```
///
/// Loading an object does not load the targets of its lazy links, and saving it keeps the links,
/// loaded or not. A link does not retain a loaded target; the caller does. A link retains an object
/// assigned to it until the object is saved, which happens together with its parent.
public struct Lazy<Target: StoredObject> {
  let link: LazyLink<Target>

  /// Creates an empty link.
  public init() { link = LazyLink(nil) }

  /// Creates a link to an object.
  public init(_ target: Target?) { link = LazyLink(target?.id, held: target) }

  /// Creates a link to the entity with an identifier, which need not exist.
  public init(id: EntityID) { link = LazyLink(id) }

  init(_ link: LazyLink<Target>) { self.link = link }

  /// The identifier of the target; nil if the link is empty.
  public var id: EntityID? { link.id }

  /// The target, if it is in memory. Does not load it.
  public var loaded: Target? { link.atHand }

  /// Returns the target, loaded through the context, which ensures that there is one instance of
  /// it; nil if the link is empty.
  ///
  /// - Throws: ``VarveError``: `noSuchDocument`, `kindMismatch`, `unregisteredKind`, and as
  ///   ``Objects/load(_:as:)-(EntityID,_)``; `noContainer` if the context is deallocated.
  public func load() async throws -> Target? { try await link.load() }
}

extension Lazy: Equatable {
  /// Returns whether the identifiers are equal.
  public static func == (left: Lazy, right: Lazy) -> Bool { left.id == right.id }
}

/// The state behind a ``Lazy``.
final class LazyLink<Target: StoredObject>: ObjectLink {
  let id: EntityID?
  /// A target that is not saved yet.
  private var held: Target?
  private weak var loose: Target?
  private var context: ContextReference?

  init(_ id: EntityID?, held: Target? = nil, _ objects: Objects? = nil) {
    self.id = id
    self.held = held
    context = objects?.reference
  }

  private var objects: Objects? { context?.objects }

  var atHand: Target? { held ?? loose ?? id.flatMap { objects?.live($0) } as? Target }
  var target: (any StoredObject)? { held ?? loose }
  func join(_ objects: Objects) { context = objects.reference }

  func settle() {
    if let held { loose = held }
    held = nil
  }

  func load() async throws -> Target? {
    guard let id else { return nil }
    if let held { return held }
    guard let objects else {
      throw VarveError(
        .noContainer,
        "the context of a link to \"\(id)\" is gone",
        at: "entity \(id)",
        remedy: "Keep the Objects that loaded the object, or save the object first.",
        entity: id
      )
    }
    let target = try await objects.load(id, as: Target.self)
    loose = target
    return target
  }
}

public import VarveCore

/// Another object an object has, loaded when it is touched, and stored as its identifier.
///
/// ```swift
/// if let square = try await drawing.square.load() { print(square.side) }
/// ```
///
/// Loading the object that has the link does not load what it names, and saving it keeps the link
/// whether it was touched or not. The link does not keep what it loaded: whoever wants it holds it. An
/// object put into a link is kept, and saved along, until it is saved.
public struct Lazy<Target: StoredObject> {
  let link: LazyLink<Target>

  /// A link to nothing.
  public init() { link = LazyLink(nil) }

  /// A link to an object.
  public init(_ target: Target?) { link = LazyLink(target?.id, held: target) }

  /// A link to what is stored under an identifier, which need not be there.
  public init(id: EntityID) { link = LazyLink(id) }

  init(_ link: LazyLink<Target>) { self.link = link }

  /// Whom it names; nil where it is empty.
  public var id: EntityID? { link.id }

  /// What it names, where that is at hand; nothing is loaded.
  public var loaded: Target? { link.atHand }

  /// What it names, loaded through the context, so that it is the one live instance; nil where the
  /// link is empty.
  ///
  /// - Throws: ``VarveError``: `noSuchDocument`, `kindMismatch`, `unregisteredKind`, and as
  ///   ``Objects/load(_:as:)-(EntityID,_)``; `noContainer` where the context is gone.
  public func load() async throws -> Target? { try await link.load() }
}

extension Lazy: Equatable {
  /// Equality of whom they name.
  public static func == (left: Lazy, right: Lazy) -> Bool { left.id == right.id }
}

/// What a ``Lazy`` knows of its target.
final class LazyLink<Target: StoredObject>: ObjectLink {
  let id: EntityID?
  /// What is not saved yet.
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
        remedy: "Keep the Objects that loaded the object, or save the object first."
      )
    }
    let target = try await objects.load(id, as: Target.self)
    loose = target
    return target
  }
}

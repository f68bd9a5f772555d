public import VarveCore
public import VarveEntities

/// A context of live objects, with at most one live instance per identifier.
///
/// ```swift
/// let objects = try await Objects(store)
/// objects.register(Square.self, Circle.self)
///
/// let square = Square(side: 3)
/// try await objects.save(square)
/// let same = try await objects.load(square.id, as: Shape.self)
/// print(same === square)  // true
/// ```
///
/// A context and its objects belong to the actor that created them, such as the main actor. None of
/// them is `Sendable`, so the compiler enforces this. The context references objects weakly. A
/// store may have many contexts, each with its own instances. A context does not save an instance
/// of another context.
///
/// **Changes by others.** A merge, another context or another process may change a live object. The
/// context then updates the instance in a turn on its actor. A load updates it first.
///
/// **Unsaved edits.** An edited property keeps its unsaved value when others change the object. The
/// other properties are updated. A save writes only edited properties, so it undoes no other
/// change; its values are then the latest. ``discardChanges(of:)`` discards the edits.
///
/// **Erased objects.** When an object is erased, the context forgets its instance: loading it
/// throws `noSuchDocument`, and saving it throws `notFound`. If the entity is restored, the
/// instance belongs to it again.
public final class Objects {
  /// The store.
  public let store: Store

  var classes: [EntityType: any StoredObject.Type] = [:]
  var map = IdentityMap()
  /// Objects that others changed and that are not up to date yet.
  var stale: Set<EntityID> = []
  /// Objects that could not read the stored values. They are retried after further changes, for
  /// example when a child arrives after its parent.
  var unreadable: Set<EntityID> = []
  /// The weak reference to this context for links.
  private(set) lazy var reference = ContextReference(self)
  /// The commits of this context that can be undone.
  let undoing: UndoStack
  /// The load plan of each class that objects were requested as.
  var plans: [ObjectIdentifier: LoadPlan] = [:]
  private let changes: ChangeSequence
  private var watch: Task<Void, Never>?

  /// The number of loads that have not published yet and saves that have not recorded their values.
  private var loadCount = 0
  /// The entities that changed since the first of them began, with the number of the change.
  private var recent: [EntityID: Int] = [:]
  /// The entities that others changed since, without changes by this context.
  private var foreign: [EntityID: Int] = [:]
  private var changeNumber = 0

  /// Creates a context on the current actor.
  ///
  /// A context created outside of any actor belongs to its task, and is brought up to date when it
  /// is used or ``refresh()`` is called.
  ///
  /// - Throws: ``VarveError``: `closed`, `nestedTransaction` inside a write of the store.
  public init(_ store: Store, isolation: isolated (any Actor)? = #isolation) async throws {
    self.store = store
    undoing = UndoStack(store)
    changes = try await store.changes()
    guard let isolation else { return }
    watch = ObjectWatcher(self, on: isolation).start(changes.channel)
  }

  deinit {
    watch?.cancel()
    ObjectOwners.forget(self)
  }

  // MARK: Classes

  /// Registers classes for their kinds. A later registration for a kind replaces the earlier one.
  public func register(_ types: any StoredObject.Type...) {
    for type in types { classes[type.kind] = type }
    plans.removeAll()
  }

  /// Returns the class of a kind.
  ///
  /// - Parameter expected: the requested kind.
  func type(
    of kind: EntityType,
    _ id: EntityID,
    askedAs expected: EntityType
  ) throws -> any StoredObject.Type {
    if let type = classes[kind] { return type }
    throw VarveError.unregisteredKind(of: id, expected: expected, actual: kind)
  }

  // MARK: Instances

  /// Returns the live instance with an identifier, or nil if there is none. Does not load it.
  public func live(_ id: EntityID) -> (any StoredObject)? { map.live(id) }

  /// Returns whether this context loaded or saved the object, and it was not erased.
  public func contains(_ object: any StoredObject) -> Bool {
    map.live(object.id).map { $0 === object } ?? false
  }

  /// The number of entries in the identity map, including some of deallocated objects.
  package var entryCount: Int { map.count }

  // MARK: Changes

  /// Schedules instances to be read again in the next turn.
  func readSoon(_ ids: [EntityID]) {
    stale.formUnion(ids)
    changes.channel.wake()
  }

  /// Records changes by others.
  ///
  /// - Parameter own: a commit that this context just made, whose changes are known.
  func noteChanges(own: CommitID? = nil) {
    while let change = changes.poll() {
      let isOwn = change.commitCount == 1 && change.commit.id == own
      changeNumber += 1
      stale.formUnion(unreadable)
      unreadable.removeAll()
      for ids in [change.changed, change.erased, change.added] {
        for id in ids { note(id, isOwn: isOwn) }
      }
    }
  }

  /// The instances have this context's own changes already; loads in progress may not.
  private func note(_ id: EntityID, isOwn: Bool) {
    if loadCount > 0 {
      recent[id] = changeNumber
      if !isOwn { foreign[id] = changeNumber }
    }
    if !isOwn, map[id]?.object != nil { stale.insert(id) }
  }

  /// Begins a load or a save. Changes are recorded until it ends.
  func beginLoad() -> Int {
    loadCount += 1
    return changeNumber
  }

  func endLoad() {
    loadCount -= 1
    guard loadCount == 0, !recent.isEmpty else { return }
    recent.removeAll()
    foreign.removeAll()
  }

  /// Returns whether an entity changed since a load began.
  func hasChanged(_ id: EntityID, since mark: Int) -> Bool {
    !recent.isEmpty && (recent[id] ?? 0) > mark
  }

  /// Returns whether others changed an entity since a save began.
  func hasChangedElsewhere(_ id: EntityID, since mark: Int) -> Bool {
    !foreign.isEmpty && (foreign[id] ?? 0) > mark
  }
}

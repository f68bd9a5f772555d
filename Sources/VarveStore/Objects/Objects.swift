public import VarveCore

/// A context of live objects: one identifier is one instance, while anyone holds it.
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
/// A context and its objects belong to the actor that made them, the main actor or one of yours: none
/// of them is `Sendable`, so the compiler keeps them there. It holds objects weakly. A store may have
/// many contexts, each with instances of its own.
///
/// **What others change.** When a merge, another context or another process changed an object that is
/// alive, the context brings the instance up to date in a turn on its actor, and before it hands it
/// out again.
///
/// **Unsaved edits.** A property that was edited and not saved keeps its value when others change the
/// object; its other properties are brought up to date. Saving writes only what was edited, so nothing
/// else is undone by it; the edit then counts as the latest. ``discardChanges(of:)`` gives up the
/// edits.
///
/// **Erased objects.** When an object is erased, the context forgets its instance: loading throws
/// `noSuchDocument`, and saving it throws `notFound`. Should the entity be restored, the instance is
/// that entity's again.
public final class Objects {
  /// The store.
  public let store: Store

  var classes: [EntityType: any StoredObject.Type] = [:]
  var map = IdentityMap()
  /// Objects that others have changed and that are not brought up to date yet.
  var stale: Set<EntityID> = []
  /// Objects that could not take over what is stored: tried again when something else has changed, a
  /// child that comes after its parent, say.
  var unreadable: Set<EntityID> = []
  /// The context as links know it.
  private(set) lazy var reference = ContextReference(self)
  var undoing = UndoHistory()
  /// Undos go one after another, so that two in a hurry undo two commits.
  let undoTurn = Turnstile<Void>((), name: "undo")
  /// For each class objects were asked for as, how they are read fastest.
  var plans: [ObjectIdentifier: LoadPlan] = [:]
  private let changes: ChangeSequence
  private var watch: Task<Void, Never>?

  /// Loads that have read and not published yet, and saves that have not taken over what they wrote.
  private var loadCount = 0
  /// What changed since the first of them began, with the number of the change.
  private var recent: [EntityID: Int] = [:]
  /// The same without what this context changed itself.
  private var foreign: [EntityID: Int] = [:]
  private var changeNumber = 0

  /// A context of the current actor.
  ///
  /// Made outside of any actor it belongs to the task that made it, and is brought up to date when it
  /// is used or ``refresh()`` is called.
  ///
  /// - Throws: ``VarveError``: `closed`, `nestedTransaction` inside a write of the store.
  public init(_ store: Store, isolation: isolated (any Actor)? = #isolation) async throws {
    self.store = store
    changes = try await store.changes()
    guard let isolation else { return }
    watch = ObjectWatcher(self, on: isolation).start(changes.channel)
  }

  deinit { watch?.cancel() }

  // MARK: Classes

  /// Makes classes known: objects of their kinds are instances of them. The last class registered for
  /// a kind counts.
  public func register(_ types: any StoredObject.Type...) {
    for type in types { classes[type.kind] = type }
    plans.removeAll()
  }

  /// The class of a kind.
  ///
  /// - Parameter expected: the kind that was asked for.
  func type(
    of kind: EntityType,
    _ id: EntityID,
    askedAs expected: EntityType
  ) throws -> any StoredObject.Type {
    if let type = classes[kind] { return type }
    throw VarveError.unregisteredKind(of: id, expected: expected, actual: kind)
  }

  // MARK: Instances

  /// The instance of an identifier, where there is one; nothing is loaded.
  public func live(_ id: EntityID) -> (any StoredObject)? { map.live(id) }

  /// Whether an object is one of this context: loaded or saved by it, and not erased.
  public func contains(_ object: any StoredObject) -> Bool {
    map.live(object.id).map { $0 === object } ?? false
  }

  /// How many objects the context remembers: those that are alive, and some that are gone.
  package var entryCount: Int { map.count }

  // MARK: Changes

  /// Instances are to be read anew in the next turn.
  func readSoon(_ ids: [EntityID]) {
    stale.formUnion(ids)
    changes.channel.wake()
  }

  /// Notes what others have changed.
  ///
  /// - Parameter own: a commit this context has just made, which tells it nothing new.
  func noteChanges(own: CommitID? = nil) {
    while let change = changes.poll() {
      let isOwn = change.commitCount == 1 && change.commit.id == own
      changeNumber += 1
      stale.formUnion(unreadable)
      unreadable.removeAll()
      for ids in [change.changed, change.deleted, change.added] {
        for id in ids { note(id, isOwn: isOwn) }
      }
    }
  }

  /// What this context wrote itself its instances have already; loads under way may not.
  private func note(_ id: EntityID, isOwn: Bool) {
    if loadCount > 0 {
      recent[id] = changeNumber
      if !isOwn { foreign[id] = changeNumber }
    }
    if !isOwn, map[id]?.object != nil { stale.insert(id) }
  }

  /// Begins a load or a save: what changes until it ends is remembered.
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

  /// Whether an entity changed since a load began.
  func hasChanged(_ id: EntityID, since mark: Int) -> Bool {
    !recent.isEmpty && (recent[id] ?? 0) > mark
  }

  /// Whether others changed an entity since a save began.
  func hasChangedElsewhere(_ id: EntityID, since mark: Int) -> Bool {
    !foreign.isEmpty && (foreign[id] ?? 0) > mark
  }
}

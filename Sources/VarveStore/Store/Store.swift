import Synchronization
public import VarveCore

/// One open copy of the data: an object store in which nothing is ever overwritten.
///
/// ```swift
/// let store = try await Store.open("hats.varve")
/// let id = try await store.create("Hat", ["color": "red"])
/// try await store.set(id, "color", "blue", author: "sam")
/// for version in try await store.history(of: id, "color") {
///   print(version.description, version.author ?? "-")
/// }
/// ```
///
/// Reads answer the present state; ``asOf(_:)-(Date)`` and ``asOf(_:)-(Frontier)`` answer past
/// ones. Every write is one commit or nothing. A store may be used from any task, and by several
/// processes at once.
public final class Store: Sendable {
  /// Where a store is kept.
  public enum Location: Hashable, Sendable {
    /// In memory, until it is closed.
    case inMemory
    /// In a file.
    case file(String)
  }

  /// How a store is opened.
  public struct Configuration: Sendable {
    /// The wall clock: milliseconds since 1970.
    public var wallMilliseconds: @Sendable () -> Int64 = SystemClock.millisecondsSince1970 {
      didSet { wallTime = nil }
    }
    /// The same clock where it shows more than milliseconds.
    package var wallTime: (@Sendable () -> HybridTime)? = SystemClock.time
    /// How long a write waits for another writer before it throws `busy`.
    public var writerPatience: Duration = .seconds(5)
    /// How far ahead of the wall clock a commit of another replica may be stamped to take effect at
    /// once. One beyond is kept and passed on, and takes effect when its time has come (R11).
    public var clockTolerance: Duration = .seconds(300)
    /// Whether writes are refused.
    public var isReadOnly = false
    /// Whether a missing file is created rather than reported as `notFound`.
    public var createsIfMissing = true

    /// What becomes of an entity whose last owner gives it up, by the name of the relation; kept
    /// where nothing is said.
    public var orphanPolicies: [PropertyKey: OrphanPolicy] = [:]

    /// The models whose rules hold for what imports and loaded documents write, too. Saving a model
    /// keeps its rules whether or not it is named here.
    public var models: [any Persistable.Type] = []

    /// The ordinary configuration.
    public init() {}
  }

  let backend: any Backend
  let configuration: Configuration
  let hooks = ErasureHooks()
  let classes = ReferenceClasses()
  let hub = ChangeHub()
  /// The indexes known to be there.
  let indexed = Mutex<Set<WantedIndex>>([])

  package init(backend: any Backend, configuration: Configuration = Configuration()) {
    self.backend = backend
    self.configuration = configuration
  }

  /// The name under which this copy writes.
  ///
  /// It changes where the store finds that another copy has gone on under the same name (R12).
  ///
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `closed`.
  public func replica() async throws -> ReplicaID {
    try refuseInsideOwnWrite("replica")
    return try await backend.replica()
  }

  /// The newest commit of every replica known here: what this copy has seen.
  ///
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `closed`.
  /// - Complexity: O(chains).
  public func frontier() async throws -> Frontier {
    try refuseInsideOwnWrite("frontier")
    return try await backend.frontier()
  }

  /// Proves the log and everything derived from it.
  ///
  /// - Parameter progress: told how far the check is.
  /// - Returns: what was found; `isClean` where nothing is wrong.
  /// - Throws: ``VarveError`` where the log cannot be read at all.
  /// - Complexity: O(cells in the log).
  public func check(
    _ progress: @Sendable (CheckProgress) -> Void = { _ in }
  ) async throws -> CheckReport {
    try refuseInsideOwnWrite("check")
    return try await backend.check(progress)
  }

  /// Keeps an index on a property of a type from now on, so that queries that compare it need not
  /// look at every entity. Asking for one that is there does nothing.
  ///
  /// An index is a local matter: it makes no commit, is not merged, and changes no answer. Each
  /// costs time in every write of the property.
  ///
  /// - Throws: ``VarveError``: `busy`, `readOnly`, `invalidArgument` for a name over 64 KiB.
  /// - Complexity: O(entities of the type × log entities).
  public func addIndex(on key: PropertyKey, of type: EntityType) async throws {
    try refuseInsideOwnWrite("addIndex")
    try refuseIfReadOnly()
    try Names.validate(type)
    try Names.validate(key)
    try await backend.addIndex(on: key, of: type)
  }

  /// Drops everything derived from the log and derives it again. What can be read does not change.
  ///
  /// - Parameter progress: told after each commit how far it is.
  /// - Throws: ``VarveError`` with code `damaged` where the log cannot be read, `busy` or
  ///   `readOnly`.
  /// - Complexity: O(cells in the log).
  public func rebuild(
    _ progress: @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws {
    try refuseInsideOwnWrite("rebuild")
    try refuseIfReadOnly()
    try await backend.rebuild(progress)
  }

  /// Ends all use. Later calls throw `closed`; closing again does nothing.
  public func close() async throws {
    try refuseInsideOwnWrite("close")
    hub.finish()
    try await backend.close()
  }
}

extension Store {
  /// Throws where the current task is inside a write of this store. What is not the transaction's
  /// would wait for that write in memory, and not see it in a file.
  package func refuseInsideOwnWrite(_ what: String) throws {
    guard TransactionScope.transaction(of: self) != nil else { return }
    throw VarveError(
      .nestedTransaction,
      "`\(what)` was called inside a write of the same store",
      remedy: "Use what the closure was given, the transaction or a hook's state, or call it after "
        + "the write."
    )
  }

  func refuseIfReadOnly() throws {
    guard configuration.isReadOnly else { return }
    throw VarveError(
      .readOnly,
      "the store was opened for reading only",
      remedy: "Open it without `isReadOnly`."
    )
  }
}

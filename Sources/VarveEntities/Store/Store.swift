package import Synchronization
public import VarveCore

/// An open copy of the data: an object store that never overwrites data.
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
/// Reads return the present state; ``asOf(_:)-(Date)`` and ``asOf(_:)-(Frontier)`` provide past
/// states. Every write is one commit or nothing. A store may be used from any task, and by several
/// processes at once.
public final class Store: Sendable {
  /// The location of a store.
  public enum Location: Hashable, Sendable {
    /// In memory, until the store is closed.
    case inMemory
    /// In a file.
    case file(String)
  }

  /// The options for opening a store.
  public struct Configuration: Sendable {
    /// The wall clock: milliseconds since 1970.
    public var wallMilliseconds: @Sendable () -> Int64 = SystemClock.millisecondsSince1970 {
      didSet { wallTime = nil }
    }
    /// The same clock, if it is more precise than milliseconds.
    package var wallTime: (@Sendable () throws -> HybridTime)? = SystemClock.time
    /// Waits for a time between two polls for commits of other processes, for tests; nil to poll
    /// together with the other stores of the process.
    package var pollPause: (@Sendable (Duration) async throws -> Void)?
    /// The maximum time that a write waits for another writer before it throws `busy`.
    public var writerPatience: Duration = .seconds(5)
    /// The maximum lead of another replica's stamp over the wall clock with which a commit still
    /// takes effect at once. A commit beyond it is kept and passed on, and takes effect when its
    /// time has come (R11).
    public var clockTolerance: Duration = .seconds(300)
    /// Whether writes are refused. Commits of others that were withheld (``clockTolerance``) and
    /// fall due take effect once a store that is open for writing has the file.
    public var isReadOnly = false
    /// What a writer waits for before its call returns.
    public var durability = Durability.buffered
    /// Whether a missing file is created rather than reported as `notFound`.
    public var createsIfMissing = true
    /// Who else opens the file while the store is open.
    public var sharing = Sharing.processes
    /// When the system lets processes read the file; nil for the system's default. It has an effect on
    /// iOS, tvOS, watchOS and visionOS only.
    public var fileProtection: FileProtection?

    /// The policies for entities that lose their last owner, by the name of the relation. Without a
    /// policy, the entity is kept.
    public var orphanPolicies: [PropertyKey: OrphanPolicy] = [:]

    /// The author of commits that name none, outside of ``Store/author``.
    public var author: String?

    /// The policy for rows of a query that cannot be read as the model.
    /// ``Reading/fetchReport(_:)`` returns them, whatever the policy.
    public var unreadableRows = UnreadableRowPolicy.omit

    /// Receives warnings about the store's file, as the errors that they would be if it were certain:
    /// some file systems, as those of networks, do not say reliably which file a path names, so
    /// Varve does not refuse to write to a file that seems to be another one. The first write to a file
    /// on a network's file system, or a program's, warns that its locks may not hold for others.
    public var warn: (@Sendable (VarveError) -> Void)?

    /// The log of the SQL that runs; nil for none.
    public var sqlLog: SQLLog?

    /// The options that other modules add, by their keys.
    var added: [ObjectIdentifier: any Sendable] = [:]

    /// Creates the default configuration.
    public init() {}
  }

  /// Who else opens a store's file while the store is open.
  public enum Sharing: Hashable, Sendable {
    /// Other processes, or other stores of this process. While there are subscribers to changes, the
    /// store watches the file, and looks for commits of others each second.
    case processes
    /// Nobody. The store does not look for commits of others, so the process sleeps until it writes.
    /// If someone else writes nevertheless, nothing is lost, but subscribers may not learn of it.
    case thisStore
  }

  /// What a writer waits for before its call returns.
  public enum Durability: Hashable, Sendable {
    /// The commit survives the end of the process. The system decides when it reaches the disk, so
    /// a loss of power may take the last commits, each as a whole. See ``Store/flush()``.
    case buffered
    /// The commit is on the disk, so that it also survives a loss of power. Writers that wait at
    /// the same time share one flush of the disk. Others may read the commit before that.
    ///
    /// Calls of several tasks at once, other than ``Store/write(as:author:message:at:_:)``, also share
    /// a transaction. Each makes its own commit, but all of them fail if the transaction cannot be
    /// committed, for instance because the disk is full.
    ///
    /// If the disk fails, the write throws `outcomeUnknown`: the commit is in the store, but a loss
    /// of power may take it. So do all later writes, until the store is opened again.
    case synchronized
  }

  /// The author of commits that name none, in a task and its child tasks.
  ///
  /// ```swift
  /// try await Store.$author.withValue("ben") {
  ///   try await store.set("hat-1", "color", "blue")  // by ben
  /// }
  /// ```
  ///
  /// A commit whose author is given as "" has none.
  @TaskLocal public static var author: String?

  package let backend: any Backend
  package let configuration: Configuration
  let hooks = ErasureHooks()
  package let classes = TypeRegistry()
  let hub = ChangeHub()
  /// Wakes those who wait for commits of this object.
  package let arrivals = ArrivalSignal()
  /// The indexes that are known to exist.
  package let indexed = Mutex<Set<WantedIndex>>([])

  package init(backend: any Backend, configuration: Configuration = Configuration()) {
    self.backend = backend
    self.configuration = configuration
  }

  /// Returns the replica id of this copy.
  ///
  /// It changes if the store finds that another copy has written under the same id (R12).
  ///
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `closed`.
  public func replica() async throws -> ReplicaID {
    try refuseInsideOwnWrite("replica")
    return try await backend.replica()
  }

  /// Returns the newest known commit of every replica: everything that this copy has seen.
  ///
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `closed`.
  /// - Complexity: O(chains).
  public func frontier() async throws -> Frontier {
    try refuseInsideOwnWrite("frontier")
    return try await backend.frontier()
  }

  /// Checks the log and everything derived from it.
  ///
  /// - Parameter progress: called with the progress of the check.
  /// - Returns: the findings; `isClean` is true if there are none.
  /// - Throws: ``VarveError`` if the log cannot be read at all.
  /// - Complexity: O(cells in the log).
  public func check(
    _ progress: @Sendable (CheckProgress) -> Void = { _ in }
  ) async throws -> CheckReport {
    try refuseInsideOwnWrite("check")
    return try await backend.check(progress)
  }

  /// Creates and keeps an index on a property of a type, so that queries that compare the property
  /// need not examine every entity. Does nothing if the index exists.
  ///
  /// An index belongs to this copy: it makes no commit, is not merged, and changes no result. It
  /// takes time in every write of the property.
  ///
  /// - Throws: ``VarveError``: `busy`, `readOnly`, `invalidArgument` for a name over 64 KiB.
  /// - Complexity: O(entities of the type × log entities).
  public func addIndex(on key: PropertyKey, of type: EntityType) async throws {
    try refuseInsideOwnWrite("addIndex")
    try refuseIfReadOnly()
    try Names.validate(type)
    try Names.validate(key)
    try await backend.addIndex(on: [key], of: type)
  }

  /// Drops everything derived from the log and derives it again. The content does not change.
  ///
  /// - Parameter progress: called with the progress after each commit.
  /// - Throws: ``VarveError`` with code `damaged` if the log cannot be read, `busy` or `readOnly`.
  /// - Complexity: O(cells in the log).
  public func rebuild(
    _ progress: @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws {
    try refuseInsideOwnWrite("rebuild")
    try refuseIfReadOnly()
    try await backend.rebuild(progress)
  }

  /// Closes the store. Later calls throw `closed`; closing it again has no effect.
  public func close() async throws {
    try refuseInsideOwnWrite("close")
    hub.finish()
    try await backend.close()
  }
}

extension Store {
  /// Throws inside a write of this store. A call outside the transaction would not see
  /// that write.
  package func refuseInsideOwnWrite(_ what: String, remedy: String? = nil) throws {
    guard TransactionScope.transaction(of: self) != nil else { return }
    throw VarveError(
      .nestedTransaction,
      "`\(what)` was called inside a write of the same store",
      remedy: remedy
        ?? "Use the closure's transaction, or a hook's state, or call it after the write."
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

package import VarveCore

extension SQLiteBackend {
  /// The options for opening a store.
  package struct Configuration: Sendable {
    /// The wall clock, in milliseconds since 1970.
    package var wallMilliseconds: @Sendable () -> Int64 = SystemClock.millisecondsSince1970
    /// The wall clock, if it is more precise than milliseconds.
    package var wallTime: (@Sendable () throws -> HybridTime)?
    /// The maximum lead of a foreign commit's stamp over the wall clock with which the commit still
    /// takes effect at once.
    package var toleranceMilliseconds = HybridClock.defaultToleranceMilliseconds
    package var isReadOnly = false
    /// Why the store is read-only, if it was to be opened for writing.
    var refusal: VarveError?
    package var createsIfMissing = true
    /// The key of the file; nil for a plain one.
    package var key: StoreKey?
    /// Whether a commit is on the disk before its writer continues.
    package var isSynchronized = false
    /// The stores that share memory with this one.
    package var openStores = OpenStores.shared
    /// Flushes the log in place of the system's call, for tests.
    package var flush: (@Sendable () throws -> Void)?
    /// The replica id of a new store, or nil for a random one.
    package var replica: ReplicaID?
    /// The log's home, if it is not this file. Its replica id and its clock are used then.
    ///
    /// `VarvePostgres` sets it. The tests also keep logs in folders, to hold every implementation
    /// of ``LogHome`` to the same behaviour.
    package var home: (any LogHome)?
    /// The cryptography of the sealed space; nil for a store of an open one. A store with a home has none.
    package var sealing: (any SpaceSealing)?
    /// Whether the index follows the home's announcements, so that reads see what other hosts write
    /// soon after they wrote it.
    package var followsAnnouncements = false
    /// The maximum number of touches that are kept unsorted.
    package var touchCapacity = 16_384
    /// Whether each write ends with a check of what the writer holds in memory, for tests.
    package var checksInvariants = false
    /// Receives what would be refused if the file system kept the numbers of files.
    package var warn: (@Sendable (VarveError) -> Void)?
    /// Receives the statements that run; nil for none.
    package var statementWatch: StatementWatch?
    /// Whether no other process opens the file while the store is open, so that none of their
    /// commits is looked for.
    package var isAlone = false
    /// When the system lets processes read the file; nil for the system's default.
    package var fileProtection: FileProtection?
    /// Whether the store is suspended. Each store has its own.
    var suspension = Suspension()

    package init() {}

    /// The time of the wall clock.
    ///
    /// - Throws: ``VarveError`` with code `timeOutOfRange` if no commit can have that time.
    var wall: HybridTime {
      get throws { try wallTime?() ?? HybridTime(wallMilliseconds: wallMilliseconds()) }
    }

    /// The wall clock, limited to what a time can represent, so that arithmetic does not overflow.
    var nearestMilliseconds: Int64 {
      let range = HybridTime.millisecondsRange
      return min(max(wallMilliseconds(), range.lowerBound), range.upperBound)
    }
  }
}

import Synchronization
package import VarveCore

/// A PostgreSQL database in which the logs of spaces are kept.
///
/// ```swift
/// try await PostgresHome.prepare("postgres://app@db.example/varve")
/// let home = try await PostgresHome("postgres://app@db.example/varve")
/// let store = try await Store.open(.space("hats", at: home, index: .file("cache/hats.varve")))
/// ```
///
/// Any number of hosts can use it at the same time. Each runs queries on its own index.
public final class PostgresHome: Sendable {
  /// The options of a home.
  public struct Configuration: Sendable {
    /// The maximum number of connections, of which one listens for what other hosts write; at least
    /// two. A call waits until one is free.
    public var connectionLimit = 16
    /// The time within which the database must reply to a read.
    public var patience: Duration = .seconds(30)
    /// The time without a heartbeat after which a host loses the write lock.
    public var turnTimeout: Duration = .seconds(30)
    /// The interval at which followed spaces are polled if no notification arrives.
    public var pollingInterval: Duration = .seconds(1)
    /// Replaces the database's time. For tests.
    package var wall: (@Sendable (HybridTime) -> HybridTime)?

    /// Creates the default options.
    public init() {}
  }

  let pool: PostgresPool
  let configuration: Configuration
  let follower: HomeFollower
  let era = HomeEra()
  /// One queue for each space, so that a process waits for a lock at the database only once.
  private let queues = Mutex<[SpaceID: Permits]>([:])

  /// Opens a home.
  ///
  /// - Throws: `VarveError`: `notAStore` if the database was not prepared, `newerFormat`,
  ///   `invalidArgument` if the URL names no database, `inputOutput` if the database cannot
  ///   be reached. No error contains the URL's password.
  public init(_ url: String, configuration: Configuration = Configuration()) async throws {
    self.configuration = configuration
    pool = PostgresPool(try PostgresAddress(url), limit: max(2, configuration.connectionLimit))
    follower = HomeFollower(pool, configuration)
    try await requirePrepared()
    follower.setConnected { [weak self] in
      guard let self else { return }
      try await era.follow(self)
    }
  }

  /// Creates the tables of a home, or brings those of an older version up to date, while other
  /// hosts use them.
  ///
  /// - Returns: whether anything changed.
  /// - Throws: `VarveError`: `invalidArgument` if the URL names no database,
  ///   `inputOutput`.
  @discardableResult
  public static func prepare(_ url: String) async throws -> Bool {
    let pool = PostgresPool(try PostgresAddress(url), limit: 1)
    let deadline = ContinuousClock.now + .seconds(60)
    return try await reportingFailures {
      let connection = try await pool.open(until: deadline)
      let before = try await HomeMigrations.apply(on: connection, until: deadline)
      await connection.close()
      return before < HomeMigrations.newest
    }
  }

  /// Closes the connections. Spaces that are open fail from now on.
  public func close() async {
    await follower.end()
    await pool.close()
  }

  /// The names of the spaces, in order.
  ///
  /// - Throws: `VarveError` with code `inputOutput` if the database cannot be reached.
  public func spaceNames() async throws -> [String] { try await spaces().map(\.name) }

  private func requirePrepared() async throws {
    let number = try await reading { connection, deadline in
      try await connection.run([HomeStatement.migration()], until: deadline)[0].integer(0, 0)
    }
    guard number <= HomeMigrations.newest else {
      throw VarveError(
        .newerFormat,
        "the home has tables of version \(number); this build knows \(HomeMigrations.newest)",
        at: PostgresAddress.shown,
        remedy: "Use a newer version of Varve."
      )
    }
    guard number == HomeMigrations.newest else {
      throw VarveError(
        .notAStore,
        "the home has tables of version \(number); this build needs \(HomeMigrations.newest)",
        at: PostgresAddress.shown,
        remedy: "Bring it up to date with varve home migrate."
      )
    }
  }

  /// Calls a closure with a connection. The closure may be called again, on another connection, if
  /// the connection breaks, so it must only read.
  func reading<Result>(
    _ body: (PostgresConnection, ContinuousClock.Instant) async throws -> Result
  ) async throws -> Result {
    let deadline = ContinuousClock.now + configuration.patience
    return try await reportingFailures {
      do {
        return try await pool.use(until: deadline) { try await body($0, deadline) }
      } catch let failure as PostgresFailure where failure.isBroken {
        guard ContinuousClock.now < deadline else { throw failure }
        return try await pool.use(until: deadline) { try await body($0, deadline) }
      }
    }
  }

  /// Calls a closure with a connection in a transaction that sees one state of the database, and
  /// with the head of a space in it.
  func inSnapshot<Result>(
    of space: SpaceID,
    _ body: (KeptConnection, HomeHead) async throws -> Result
  ) async throws -> Result {
    let deadline = ContinuousClock.now + configuration.patience
    return try await reportingFailures {
      try await pool.use(until: deadline) { connection in
        let calls = [
          HomeStatement.beginReading(), HomeStatement.configureReading(.text(idleLimit)),
          HomeStatement.head(PostgresValue(space)),
        ]
        let head: HomeHead
        do {
          head = try PostgresHead(try await connection.run(calls, until: deadline)[2], of: space)
            .head
        } catch {
          _ = try? await connection.run([HomeStatement.rollback()], isCancellable: false)
          throw error
        }
        let kept = KeptConnection(connection, configuration)
        do {
          let result = try await body(kept, head)
          await kept.end()
          return result
        } catch {
          await kept.end()
          throw error
        }
      }
    }
  }

  func queue(of space: SpaceID) -> Permits {
    queues.withLock { queues in
      if let queue = queues[space] { return queue }
      let queue = Permits(1)
      queues[space] = queue
      return queue
    }
  }

  /// The settings of a transaction that writes.
  func settings(lockTimeout: Int) -> PostgresCall {
    HomeStatement.configure(.text("\(max(1, lockTimeout))"), .text(idleLimit))
  }

  /// The milliseconds for which a transaction may show no sign of life.
  private var idleLimit: String { "\(max(1, Int(configuration.turnTimeout / .milliseconds(1))))" }
}

extension PostgresHome: Home {
  package func spaces() async throws -> [SpaceSummary] {
    let rows = try await reading { connection, deadline in
      try await connection.run([HomeStatement.spaces()], until: deadline)[0]
    }
    return (0..<rows.count).map { row in
      let (high, low) = rows.uuid(row, 0)
      return SpaceSummary(id: SpaceID(high: high, low: low), name: rows.text(row, 1) ?? "")
    }
  }

  package func create(_ name: String) async throws -> SpaceSummary {
    try await create(name, .random(), replica: .random())
  }

  /// Creates a space with an id that is known.
  ///
  /// - Throws: `VarveError`: `invalidArgument` if a space cannot have the name, `duplicateIdentifier` if one has
  ///   it, or a name that differs in case only, or the id.
  package func create(
    _ name: String,
    _ space: SpaceID,
    replica: ReplicaID,
    format: Int = HomeHead.format
  ) async throws -> SpaceSummary {
    let spaceName = try SpaceName.parse(name)
    return try await writing { connection, deadline in
      let named = try await connection.run(
        [
          HomeStatement.begin(), settings(lockTimeout: 10_000), HomeStatement.lockNames(),
          HomeStatement.namesAlike(.text(name)),
          HomeStatement.addName(.text(name), PostgresValue(space)),
        ],
        until: deadline
      )
      try spaceName.requireDifferent(
        from: (0..<named[3].count).compactMap { named[3].text($0, 0) }.compactMap { SpaceName($0) }
      )
      guard named[4].count == 1 else {
        throw VarveError(
          .duplicateIdentifier,
          "a space is called \"\(name)\" already",
          at: PostgresAddress.shown,
          remedy: "Use another name, or end that space."
        )
      }
      let start = HomePosition(incarnation: .random(in: 0 ... .max))
      let addition = HomeStatement.addSpace(
        PostgresValue(space),
        .text(name),
        .integer(start.incarnation),
        PostgresValue(replica),
        .integer(Int64(format)),
        .integer(RowSeal.of(HomeHead(position: start, replica: replica, format: format), of: space))
      )
      do {
        _ = try await connection.run([addition, HomeStatement.commit()], until: deadline)
      } catch let failure as PostgresFailure where failure.state == "23505" {
        throw Self.hasSpace(space)
      }
      return SpaceSummary(id: space, name: name)
    }
  }

  private static func hasSpace(_ space: SpaceID) -> VarveError {
    VarveError(
      .duplicateIdentifier,
      "the home has the space \(space) under another name",
      at: PostgresAddress.shown,
      remedy: "Use it under that name, or end it first."
    )
  }

  package func log(of space: SpaceID) async throws -> any LogHome {
    try await era.settle(self)
    let log = PostgresLog(self, space)
    _ = try await log.head()
    return log
  }

  package func end(_ space: SpaceID) async throws { try await end(space) { _, _ in nil } }

  /// Calls a closure with a connection, and rolls back what it did not commit.
  func writing<Result>(
    _ body: (PostgresConnection, ContinuousClock.Instant) async throws -> Result
  ) async throws -> Result {
    let deadline = ContinuousClock.now + configuration.patience
    return try await reportingFailures {
      try await pool.use(until: deadline) { connection in
        do {
          return try await body(connection, deadline)
        } catch {
          _ = try? await connection.run([HomeStatement.rollback()], isCancellable: false)
          throw error
        }
      }
    }
  }
}

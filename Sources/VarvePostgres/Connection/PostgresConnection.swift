import CPostgres
import Dispatch
import VarveCore

/// A connection to a PostgreSQL server, for one caller at a time.
///
/// It is never replaced by another: once it is broken, every call throws.
actor PostgresConnection {
  private nonisolated let address: PostgresAddress
  private let notices = NoticeLog()
  private var handle: ConnectionHandle?
  /// The names of the statements that the server has prepared, by their texts.
  private var prepared: [String: StatementName] = [:]
  /// Whether a pooler stands between this process and the server, so that each transaction may run
  /// in another session. Statements have no names then, and nothing is listened to.
  private(set) var isPooled = false
  private var isConnected = false
  private var isRunning = false

  private init(_ handle: ConnectionHandle, _ address: PostgresAddress) {
    self.handle = handle
    self.address = address
  }

  // MARK: Opening and closing

  /// Connects to one of the servers of an address.
  ///
  /// - Throws: ``PostgresFailure``; `CancellationError`.
  static func open(
    _ address: PostgresAddress,
    server: Int,
    until deadline: ContinuousClock.Instant
  ) async throws -> PostgresConnection {
    // libpq looks up names while it connects, which blocks.
    guard
      let handle = await offPool({
        PQconnectStart(address.servers[server]).map(ConnectionHandle.init)
      })
    else {
      throw PostgresFailure("there is no memory left", at: address.place, isBroken: true)
    }
    let connection = PostgresConnection(handle, address)
    try await connection.connect(handle, until: deadline)
    try await connection.lookForPooler(until: deadline)
    return connection
  }

  private func connect(
    _ handle: ConnectionHandle,
    until deadline: ContinuousClock.Instant
  ) async throws {
    PQsetNoticeReceiver(
      handle.pointer,
      { log, notice in
        guard let log, let notice else { return }
        Unmanaged<NoticeLog>.fromOpaque(log).takeUnretainedValue().add(notice)
      },
      Unmanaged.passUnretained(notices).toOpaque()
    )
    // Only the longest form of a message has the code by which a refusal is known.
    PQsetErrorVerbosity(handle.pointer, PQERRORS_VERBOSE)
    var interest = SocketPoller.Interest.writing
    while PQstatus(handle.pointer) != CONNECTION_BAD {
      try await wait(for: interest, until: deadline, isCancellable: true)
      switch await offPool({ PQconnectPoll(handle.pointer) }) {
      case PGRES_POLLING_READING: interest = .reading
      case PGRES_POLLING_WRITING: interest = .writing
      case PGRES_POLLING_OK:
        guard PQsetnonblocking(handle.pointer, 1) == 0, PQenterPipelineMode(handle.pointer) == 1
        else { throw broken() }
        PQsetErrorVerbosity(handle.pointer, PQERRORS_DEFAULT)
        isConnected = true
        return
      default: throw broken()
      }
    }
    throw broken()
  }

  /// Compares the session in which a statement runs with the one to which the connection was made.
  private func lookForPooler(until deadline: ContinuousClock.Instant) async throws {
    let rows = try await run([HomeStatement.session()], until: deadline)[0]
    isPooled = handle.map { Int64(PQbackendPID($0.pointer)) != rows.integer(0, 0) } ?? true
  }

  /// The server and the database, for causes of errors.
  nonisolated var place: String { address.place }

  /// Whether the connection can be used: false if the server has closed it meanwhile.
  var isUsable: Bool {
    guard let handle = handle?.pointer, !isRunning else { return false }
    // A server that ends a session sends a last message, and then closes the socket.
    for _ in 0..<2 where PQconsumeInput(handle) == 0 { return false }
    _ = PQisBusy(handle)
    return PQstatus(handle) == CONNECTION_OK && !notices.hasEnd
  }

  /// Whether the connection can be used for other callers: no transaction is open.
  var isIdle: Bool {
    guard let handle = handle?.pointer, !isRunning else { return false }
    return PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE
  }

  /// Closes the connection. What it had not committed is rolled back.
  func close() { handle = nil }

  /// Asks the server to end the call that is running, and closes the connection.
  private func abandon() {
    guard let handle else { return }
    if isConnected, let request = PQgetCancel(handle.pointer).map(CancelRequest.init) {
      // This connects once more, and blocks.
      DispatchQueue.global().async { request.send() }
    }
    close()
  }

  // MARK: Calls

  /// Sends calls together, waits for all results and returns them. After a call that fails, those
  /// that follow are not executed.
  ///
  /// - Parameters:
  ///   - deadline: when to give up; then the connection is closed.
  ///   - isCancellable: whether cancelling the task ends the calls, and with them the connection.
  /// - Throws: ``PostgresFailure``; `CancellationError`.
  func run(
    _ calls: [PostgresCall],
    until deadline: ContinuousClock.Instant? = nil,
    isCancellable: Bool = true
  ) async throws -> [PostgresResult] {
    precondition(!isRunning, "a connection has one caller at a time")
    isRunning = true
    defer { isRunning = false }
    if isCancellable { try Task.checkCancellation() }
    notices.clear()
    var sent: [Sent] = []
    for (index, call) in calls.enumerated() { sent += try send(call, index) }
    guard let handle, PQpipelineSync(handle.pointer) == 1 else { throw broken() }
    do {
      try await flush(handle.pointer, until: deadline, isCancellable)
      return try await receive(sent, from: handle.pointer, until: deadline, isCancellable)
    } catch var failure as PostgresFailure {
      // The session is not the one in which a statement was prepared: a pooler that shows the
      // numbers of its sessions stands between.
      if failure.isOfStatementName { (isPooled, prepared) = (true, [:]) }
      // An error at the last call undoes it; the end of the session may have come after its effect.
      failure.isUncertain =
        failure.state == nil || (failure.isBroken && failure.call >= calls.count - 1)
      throw failure
    }
  }

  /// The warnings that came with the results of the last calls.
  var warnings: [String] { notices.warnings.map(address.scrubbed) }

  /// The number of the server's process, by which its notifications are known; nil if the
  /// connection has none of its own.
  var process: Int32? { isPooled ? nil : handle.map { PQbackendPID($0.pointer) } }

  /// The notifications that came since the last call.
  func notifications() -> [Announcement] {
    guard let handle = handle?.pointer else { return [] }
    var announcements: [Announcement] = []
    while let notification = PQnotifies(handle) {
      let payload = String(cString: notification.pointee.extra)
      announcements.append(Announcement(notification.pointee.be_pid, payload))
      PQfreemem(notification)
    }
    return announcements
  }

  /// Waits until the server sends something without having been asked, or the deadline.
  ///
  /// - Throws: ``PostgresFailure`` if the connection is lost; `CancellationError`.
  func listen(until deadline: ContinuousClock.Instant) async throws {
    guard let handle = handle?.pointer else { throw broken("it is closed") }
    let outcome = await SocketPoller.shared.wait(
      PQsocket(handle),
      for: .reading,
      until: deadline,
      isCancellable: true
    )
    if outcome == .cancelled { throw CancellationError() }
    guard PQconsumeInput(handle) == 1 else { throw broken() }
  }

  /// A message whose result is to come.
  private struct Sent {
    let call: Int
    /// The text of a statement that is prepared; nil for a call itself.
    var preparing: String?
  }

  private func send(_ call: PostgresCall, _ index: Int) throws -> [Sent] {
    guard let handle = handle?.pointer else { throw broken("it is closed") }
    var sent: [Sent] = []
    var name = prepared[call.sql]
    // Only statements with parameters are called often enough.
    if name == nil, !call.values.isEmpty, !isPooled {
      let fresh = StatementName(of: call.sql)
      prepared[call.sql] = fresh
      guard PQsendPrepare(handle, fresh.text, call.sql, 0, nil) == 1 else { throw broken() }
      sent.append(Sent(call: index, preparing: call.sql))
      name = fresh
    }
    let count = Int32(call.values.count)
    let isSent = PostgresParameters(call.values).withPointers { values, lengths, formats in
      if let name {
        PQsendQueryPrepared(handle, name.text, count, values, lengths, formats, 1)
      } else {
        PQsendQueryParams(handle, call.sql, count, nil, values, lengths, formats, 1)
      }
    }
    guard isSent == 1 else { throw broken() }
    sent.append(Sent(call: index))
    return sent
  }

  private func flush(
    _ handle: OpaquePointer,
    until deadline: ContinuousClock.Instant?,
    _ isCancellable: Bool
  ) async throws {
    // A connection that breaks meanwhile may have received the reason, which is read as a result.
    while PQflush(handle) == 1 {
      try await wait(for: .both, until: deadline, isCancellable: isCancellable)
      guard PQconsumeInput(handle) == 1 else { return }
    }
  }

  /// Receives the results of what was sent, up to the end of the pipeline.
  private func receive(
    _ sent: [Sent],
    from handle: OpaquePointer,
    until deadline: ContinuousClock.Instant?,
    _ isCancellable: Bool
  ) async throws -> [PostgresResult] {
    var results: [PostgresResult] = []
    var failure: PostgresFailure?
    var place = 0
    while true {
      if PQisBusy(handle) == 1, PQstatus(handle) == CONNECTION_OK {
        try await wait(for: .reading, until: deadline, isCancellable: isCancellable)
        _ = PQconsumeInput(handle)
        continue
      }
      let current = place < sent.count ? sent[place] : Sent(call: (sent.last?.call ?? 0) + 1)
      guard let result = PQgetResult(handle) else {
        guard PQstatus(handle) == CONNECTION_OK else {
          throw failure?.broken ?? broken(call: current.call)
        }
        // The results of each message end with none.
        place += 1
        continue
      }
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        PQclear(result)
        if let failure { throw failure }
        return results
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
        let complete = PostgresResult(result)
        if current.preparing == nil { results.append(complete) }
      case let status:
        if let sql = current.preparing { prepared[sql] = nil }
        if status != PGRES_PIPELINE_ABORTED, failure == nil {
          failure = PostgresFailure(result, call: current.call, address)
        }
        PQclear(result)
      }
    }
  }

  /// Waits for the socket.
  ///
  /// - Throws: ``PostgresFailure`` after the deadline, `CancellationError`. The connection is
  ///   closed then.
  private func wait(
    for interest: SocketPoller.Interest,
    until deadline: ContinuousClock.Instant?,
    isCancellable: Bool
  ) async throws {
    guard let handle else { throw broken("it is closed") }
    let outcome = await SocketPoller.shared.wait(
      PQsocket(handle.pointer),
      for: interest,
      until: deadline,
      isCancellable: isCancellable
    )
    switch outcome {
    case .ready: return
    case .late:
      if isCancellable { abandon() } else { close() }
      throw broken("there was no reply in time")
    case .cancelled:
      abandon()
      throw CancellationError()
    }
  }

  private func broken(_ reason: String? = nil, call: Int = 0) -> PostgresFailure {
    var text = reason ?? ""
    if reason == nil, let handle, let message = PQerrorMessage(handle.pointer) {
      text = String(cString: message)
    }
    guard isConnected else { return PostgresFailure(connecting: text, address) }
    return PostgresFailure(address.scrubbed(text), at: address.place, call: call, isBroken: true)
  }
}

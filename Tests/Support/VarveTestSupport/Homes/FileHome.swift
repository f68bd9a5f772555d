import Foundation
import Synchronization
package import VarveCore

/// A home of a log in one plain file.
///
/// Processes take turns by a lock on a file beside it.
package final class FileHome: LogHome {
  package let space: SpaceID
  private let url: URL
  private let wall: @Sendable () -> HybridTime
  private let lock = FairLock()
  /// The content of the file as it was last read or written.
  private let last = Mutex<HomeFile?>(nil)

  /// Opens a home, and creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - space: the space to open or to create; nil for the one that is there, or a new one.
  ///   - replica: the replica under which hosts write a new log; nil for a random one.
  ///   - wall: the home's clock.
  package init(
    _ path: String,
    space: SpaceID? = nil,
    name: String = "",
    replica: ReplicaID? = nil,
    format: Int = HomeHead.format,
    wall: (@Sendable () -> HybridTime)? = nil
  ) throws {
    url = URL(fileURLWithPath: path)
    self.wall = wall ?? { HybridTime(millisecondsSince1970: SystemClock.millisecondsSince1970()) }
    if !FileManager.default.fileExists(atPath: path) {
      try HomeFile.create(
        at: url,
        space ?? .random(),
        name: name,
        replica: replica ?? .random(),
        format: format
      )
    }
    self.space = try HomeFile(url).space
  }

  /// Returns the content of the file.
  fileprivate func file() throws -> HomeFile {
    let fingerprint = try HomeFile.fingerprint(of: url)
    if let file = last.withLock({ $0 }), file.fingerprint == fingerprint { return file }
    let file = try HomeFile(url)
    keep(file)
    return file
  }

  fileprivate func keep(_ file: HomeFile) { last.withLock { $0 = file } }

  package func head() async throws -> HomeHead { try file().head }

  package func arrivals(
    after position: HomePosition?,
    _ body: (HomePart) throws -> Void
  ) async throws -> HomeHead? {
    try file().pass(after: position, body)
  }

  package func heads() -> AsyncStream<HomeHead> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let watching = Task {
        var known: HomeHead?
        while !Task.isCancelled {
          if let head = try? file().head, head != known {
            known = head
            continuation.yield(head)
          }
          try? await Task.sleep(for: .milliseconds(10))
        }
      }
      continuation.onTermination = { _ in watching.cancel() }
    }
  }

  package func exclusively<Result>(
    patienceMilliseconds: Int,
    _ body: (any HomeTurn) async throws -> Result
  ) async throws -> Result {
    let deadline = ContinuousClock.now + .milliseconds(patienceMilliseconds)
    try await lock.acquire(patienceMilliseconds: patienceMilliseconds)
    defer { lock.release() }
    let guardian = try await ProcessLock(url.path + "-lock", until: deadline)
    defer { guardian.release() }
    return try await body(try turn())
  }

  /// Returns a turn that does not exclude others, as that of a holder that was stopped for too
  /// long.
  package func turn() throws -> any HomeTurn { FileTurn(self, url, try file(), wall()) }

  package func flush() async throws {
    let file = try FileHandle(forReadingFrom: url)
    defer { try? file.close() }
    try file.synchronize()
  }

  package func close() async throws {}
}

extension HomeFile {
  /// Passes the arrivals after a position to the body.
  func pass(after position: HomePosition?, _ body: (HomePart) throws -> Void) throws -> HomeHead? {
    let known = position.map { positions.firstIndex(of: $0) } ?? 0
    guard let known else { return nil }
    for stored in arrivals[known...] {
      try body(.arrival(stored.arrival))
      if let record = stored.record { try body(.record(record)) }
      guard let commit = stored.commit else { continue }
      try body(.part(.header(commit.header)))
      for block in commit.blocks { try body(.part(.block(block))) }
    }
    return head
  }
}

/// A turn at a file.
private final class FileTurn: HomeTurn {
  private let home: FileHome
  private let url: URL
  private var file: HomeFile
  private var hasCommitted = false
  let time: HybridTime

  init(_ home: FileHome, _ url: URL, _ file: HomeFile, _ time: HybridTime) {
    self.home = home
    self.url = url
    self.file = file
    self.time = time
  }

  var head: HomeHead { file.head }

  func arrivals(
    after position: HomePosition?,
    _ body: (HomePart) throws -> Void
  ) async throws -> HomeHead? {
    try file.pass(after: position, body)
  }

  func commit(
    _ changes: HomeChanges,
    adding next: () throws -> HomePart?
  ) async throws -> HomeHead {
    precondition(!hasCommitted, "a turn commits once")
    var addition = try HomeAddition(next)
    if changes.replica != nil || changes.isAnotherCopy {
      addition.copy = (
        changes.isAnotherCopy ? .random(in: 0 ... .max) : file.incarnation,
        changes.replica ?? file.replica
      )
    }
    let fence = try await ProcessLock(url.path + "-commit", until: .now + .seconds(10))
    defer { fence.release() }
    try requireTurn()
    let replaced = changes.replaced.map { ($0.id, $0.blocks) }
    try file.commit(addition, replacing: Dictionary(replaced) { $1 })
    hasCommitted = true
    home.keep(file)
    return file.head
  }

  /// Checks that no other holder has committed since this turn began.
  private func requireTurn() throws {
    guard try HomeFile.fingerprint(of: url) != file.fingerprint,
      try HomeFile(url).head != file.head
    else { return }
    throw VarveError(
      .busy,
      "another writer took the turn at the home",
      at: url.path,
      remedy: "Write again."
    )
  }
}

/// A lock that other processes respect, held until it is released or the process ends.
struct ProcessLock {
  private let descriptor: Int32

  init(_ path: String, until deadline: ContinuousClock.Instant) async throws {
    descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw VarveError(.inputOutput, "no lock can be made", at: path) }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard ContinuousClock.now < deadline else {
        close(descriptor)
        throw VarveError(.busy, "another process held the home for too long", at: path)
      }
      do {
        try await Task.sleep(for: .milliseconds(2))
      } catch {
        close(descriptor)
        throw error
      }
    }
  }

  func release() { close(descriptor) }
}

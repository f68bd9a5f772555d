import Foundation
import Synchronization
package import VarveCore

/// A home of a log in one plain file: additions one after another, each with its length and its
/// checksum, so that one whose process was killed half-way is passed over.
///
/// Processes take turns by a lock on a file beside it.
package final class FileHome: LogHome {
  private let url: URL
  private let lock = FairLock()

  /// Opens a home, and creates it if it does not exist.
  package init(_ path: String) throws {
    url = URL(fileURLWithPath: path)
    if !FileManager.default.fileExists(atPath: path) {
      var random = SystemRandomNumberGenerator()
      try HomeFile.create(at: url, incarnation: Int64(bitPattern: random.next() >> 1))
    }
  }

  package func exclusively<Result>(
    patienceMilliseconds: Int,
    _ body: (any HomeTurn) async throws -> Result
  ) async throws -> Result {
    try await lock.acquire(patienceMilliseconds: patienceMilliseconds)
    defer { lock.release() }
    let guardian = try await ProcessLock(
      url.path + "-lock",
      patienceMilliseconds: patienceMilliseconds
    )
    defer { guardian.release() }
    return try await body(FileTurn(try HomeFile(url)))
  }

  package func flush() async throws {
    let file = try FileHandle(forReadingFrom: url)
    defer { try? file.close() }
    try file.synchronize()
  }

  package func close() async throws {}
}

/// A turn at a file.
private final class FileTurn: HomeTurn {
  private let file: HomeFile

  init(_ file: HomeFile) { self.file = file }

  var end: HomePosition { file.positions[file.positions.count - 1] }

  func forEachPart(
    after position: HomePosition,
    _ body: (CommitPart) throws -> Void
  ) async throws -> Bool {
    guard let known = file.positions.firstIndex(of: position) else { return false }
    for commit in file.commits[known...] {
      try body(.header(commit.header))
      for block in commit.blocks { try body(.block(block)) }
    }
    return true
  }

  func append(_ next: () throws -> CommitPart?) async throws {
    var commits: [Commit] = []
    while let part = try next() {
      switch part {
      case .header(let header): commits.append(Commit(header: header, blocks: []))
      case .block(let block):
        let commit = commits.removeLast()
        commits.append(commit.with(commit.blocks + [block]))
      }
    }
    try file.append(commits)
  }

  func replace(_ commits: [Commit]) async throws {
    try file.replace(Dictionary(commits.map { ($0.id, $0) }, uniquingKeysWith: { $1 }))
  }
}

/// A lock other processes respect, held until it is released or the process ends.
private struct ProcessLock {
  private let descriptor: Int32

  init(_ path: String, patienceMilliseconds: Int) async throws {
    descriptor = open(path, O_CREAT | O_RDWR, 0o600)
    guard descriptor >= 0 else { throw VarveError(.inputOutput, "no lock can be made", at: path) }
    let deadline = ContinuousClock.now + .milliseconds(patienceMilliseconds)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard ContinuousClock.now < deadline else {
        close(descriptor)
        throw VarveError(.busy, "another process held the home for too long", at: path)
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  func release() { close(descriptor) }
}

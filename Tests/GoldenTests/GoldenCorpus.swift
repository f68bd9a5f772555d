import Foundation
import VarveCore
import VarveSQLite
import VarveSync
import VarveTestSupport

/// Files of the first format, kept for every later version to open: `Tests/Golden/format-1`.
///
/// - `one.varve`, `two.varve`: two stores with concurrent changes, and `one.txt`, `two.txt`: their
///   contents.
/// - `large/`: a folder with one commit that has a value in chunks.
/// - `transcript.bin`: every frame of the synchronisation of the first store, with that commit, and
///   the second; `after.txt`: the contents of both afterwards.
/// - `folder/`, `full.json`: the same as segments, and as a full document.
enum GoldenCorpus {
  static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Golden/format-1")

  static func url(_ name: String) -> URL { directory.appendingPathComponent(name) }

  /// What every clock shows while the corpus is read: commits from the future stay withheld.
  static let now: Int64 = 1_700_100_000_000

  /// Opens a store.
  static func open(_ path: String, replica: ReplicaID? = nil) async throws -> SQLiteBackend {
    var configuration = SQLiteBackend.Configuration()
    configuration.wallMilliseconds = { now }
    configuration.replica = replica
    return try await SQLiteBackend.open(.file(path), configuration: configuration)
  }

  /// Returns the contents of a store, with its conflicts; long lines are replaced by their digests.
  static func text(of backend: any Backend) async throws -> String {
    let ids = HistoryGenerator(seed: 1).ids + GoldenMaking.ids
    var lines = try await CanonicalExport(of: backend, ids: ids).description
      .components(separatedBy: "\n")
    for conflict in try await backend.conflicts() {
      let versions = conflict.versions.map {
        "\($0.time.rawValue) \($0.commit.id.hash.hexadecimal)"
      }
      lines.append(
        "conflict \(conflict.entity) \(conflict.key?.text ?? "-") \(conflict.erased) \(versions)"
      )
    }
    for head in try await backend.frontier().heads {
      lines.append("head \(head.replica) \(head.sequence) \(head.hash.hexadecimal)")
    }
    for commit in try await backend.withheldCommits() { lines.append("withheld \(commit.id)") }
    return lines.map { line in
      line.utf8.count <= 300 ? line : "digest \(ContentDigest.sha256(Array(line.utf8)).hexadecimal)"
    }.joined(separator: "\n") + "\n"
  }
}

/// A frame, and which side sent it.
struct GoldenFrame {
  let side: Int
  let bytes: [UInt8]

  /// A byte for the side, four for the length, the frame.
  static func read(_ data: Data) -> [GoldenFrame] {
    var frames: [GoldenFrame] = []
    var rest = Array(data)[...]
    while rest.count >= 5 {
      let side = Int(rest.removeFirst())
      let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      frames.append(GoldenFrame(side: side, bytes: Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
    return frames
  }

  var encoded: [UInt8] {
    [UInt8(side)] + (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (24 - 8 * $0)) } + bytes
  }
}

/// One side of a synchronisation, frame by frame.
struct GoldenSide {
  var session: SyncSession
  private var performer: SyncPerformer
  private let log: any CommitLog
  private var actions: [SyncAction] = []

  init(_ backend: any Backend, tag: UInt64) async throws {
    log = backend
    session = SyncSession(tag: tag, packs: false)
    performer = SyncPerformer(log)
    actions = session.start(
      replica: try await log.replica(),
      summits: try await log.summits(),
      frontier: try await log.frontier()
    )
  }

  /// Receives a frame, if there is one, performs all actions, and returns the sent frames.
  mutating func step(_ frame: [UInt8]? = nil) async throws -> [[UInt8]] {
    if let frame { actions += session.receive(frame) }
    var sent: [[UInt8]] = []
    while !actions.isEmpty {
      switch actions.removeFirst() {
      case .send(let bytes): sent.append(bytes)
      case .finish: break
      case .fail(let error): throw error
      case let action:
        guard let event = try await performer.perform(action) else { continue }
        actions += session.handle(event)
      }
    }
    return sent
  }
}

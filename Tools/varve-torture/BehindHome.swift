import Foundation
import Synchronization
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// Writes through an index whose file may not grow once its home has the commit.
enum BehindHome {
  static func run(_ path: String) async throws {
    FileLimit.prepare()
    let home = TighteningHome(try FileHome(path + "-home"), path + "-wal")
    var configuration = SQLiteBackend.Configuration()
    configuration.home = home
    let backend = try await SQLiteBackend.open(.file(path), configuration: configuration)
    let store = Store(backend: backend)
    try await store.create("Hat", id: "hat", ["size": 1])
    home.tightens.withLock { $0 = true }
    try await store.set("hat", "size", .int(2))
    home.tightens.withLock { $0 = false }
    Report.line("written")
    await report("read") { try await store.entity("hat")?["size"] }
    await report("found") { try await store.find(Identifier<Hat>("hat"))?.size }
    await report("indexed") { try await store.addIndex(on: "size", of: "Hat") }
    try FileLimit.set(to: nil)
    await report("found") { try await store.find(Identifier<Hat>("hat"))?.size }
    await report("read") { try await store.entity("hat")?["size"] }
    // Without a commit, the home cannot have anything.
    try FileLimit.set(toSizeOf: path + "-wal")
    await report("indexed") { try await store.addIndex(on: "size", of: "Hat") }
    try FileLimit.set(to: nil)
    try await store.set("hat", "size", .int(3))
    Report.line("commits \(try await store.log().count)")
    Report.line("checked \(try await store.check().findings)")
    try await store.close()
  }

  private static func report(_ name: String, _ body: () async throws -> some Any) async {
    do {
      Report.line("\(name) \(try await body())")
    } catch {
      Report.line("\(name) \((error as? VarveError)?.code.rawValue ?? "\(error)")")
    }
  }

  private struct Hat: Persistable {
    static let schema = Schema<Hat>("Hat") { SchemaField("size", \.size) }

    var id: Identifier<Hat>
    var size: Int

    init(row: EntityRow) throws {
      id = try row.id()
      size = try row.read(0)
    }

    func write(to values: inout PropertyValues) throws { try values.append(size) }
  }
}

/// A home after whose commits files may not grow.
private final class TighteningHome: LogHome {
  let tightens = Mutex(false)
  private let base: FileHome
  private let log: String

  init(_ base: FileHome, _ log: String) {
    self.base = base
    self.log = log
  }

  var space: SpaceID { base.space }

  func head() async throws -> HomeHead { try await base.head() }

  func heads() -> AsyncStream<HomeHead> { base.heads() }

  func arrivals(
    after position: HomePosition?,
    _ body: (HomePart) throws -> Void
  ) async throws -> HomeHead? { try await base.arrivals(after: position, body) }

  func exclusively<Result>(
    patienceMilliseconds: Int,
    _ body: (any HomeTurn) async throws -> Result
  ) async throws -> Result {
    try await base.exclusively(patienceMilliseconds: patienceMilliseconds) { turn in
      try await body(Turn(base: turn, log: tightens.withLock { $0 } ? log : nil))
    }
  }

  func flush() async throws { try await base.flush() }

  func close() async throws { try await base.close() }

  private struct Turn: HomeTurn {
    let base: any HomeTurn
    /// The log that may not grow after a commit.
    let log: String?

    var head: HomeHead { base.head }
    var time: HybridTime { base.time }

    func arrivals(
      after position: HomePosition?,
      _ body: (HomePart) throws -> Void
    ) async throws -> HomeHead? { try await base.arrivals(after: position, body) }

    func commit(
      _ changes: HomeChanges,
      adding next: () throws -> HomePart?
    ) async throws -> HomeHead {
      let head = try await base.commit(changes, adding: next)
      if let log { try FileLimit.set(toSizeOf: log) }
      return head
    }
  }
}

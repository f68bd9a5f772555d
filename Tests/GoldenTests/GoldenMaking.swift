import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveSQLite
import VarveStore
import VarveSync
import VarveTestSupport

/// Makes the corpus: `make golden`, for a new format. The files of a released format never change.
@Suite(
  "Making the golden corpus",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_GOLDEN"] != nil)
)
struct GoldenMaking {
  static let ids: [EntityID] = ["every kind", "Wide", "large", "team", "ana", "ben", "future"]
  private let clock = TestClock()

  @Test func `making the golden corpus of files that hold every feature of the format`()
    async throws
  {
    let source = SharedRandom(seed: 2_026)
    let random = RandomSource { source.next() }
    try? FileManager.default.removeItem(at: GoldenCorpus.directory)
    try FileManager.default.createDirectory(
      at: GoldenCorpus.directory,
      withIntermediateDirectories: true
    )
    try await Randomness.$source.withValue(random) {
      try await makeStores()
      try await makeExchange()
    }
  }

  private func path(_ name: String) -> String { GoldenCorpus.url(name).path }

  private func open(_ name: String, _ number: UInt64) async throws -> SQLiteBackend {
    var configuration = SQLiteBackend.Configuration()
    configuration.wallMilliseconds = clock.reading()
    configuration.replica = ReplicaID(high: 7, low: number)
    return try await SQLiteBackend.open(.file(path(name)), configuration: configuration)
  }

  private func write(_ operations: [VarveTestSupport.Operation], to backend: any Backend)
    async throws
  {
    let request = WriteRequest(author: "Zoë", message: "golden")
    _ = try await backend.write(request) { writer in
      for operation in operations { try await operation.apply(to: writer) }
    }
  }

  // MARK: Stores

  private func makeStores() async throws {
    let (one, two) = (try await open("one.varve", 1), try await open("two.varve", 2))
    try await write([everyKind, wide] + manyTypes, to: one)
    try await write(team, to: one)
    try await two.catchUp(with: one)
    var generator = HistoryGenerator(seed: 77, replicaCount: 2, startMilliseconds: clock.now)
    let stores = [one, two]
    for _ in 0..<160 {
      switch generator.next() {
      case .write(let replica, let operations): try await write(operations, to: stores[replica])
      case .merge(let from, let into, _): try await stores[into].catchUp(with: stores[from])
      case .advance(let milliseconds): clock.advance(by: milliseconds)
      }
    }
    try await writeApart(one, two)
    try await fork(two)
    let ahead = ReferenceBackend(
      replica: ReplicaID(high: 7, low: 3),
      wallMilliseconds: { GoldenCorpus.now + 3_600_000 }
    )
    try await write([.create(Creation("future", "Hat"))], to: ahead)
    try await two.catchUp(with: ahead)
    for store in stores { try await store.close() }
    try await tell("one.varve", "one.txt")
    try await tell("two.varve", "two.txt")
  }

  private var everyKind: VarveTestSupport.Operation {
    let values: [(PropertyKey, Value)] = [
      ("bool", true), ("int", .int(.min)), ("double", .double(-0.0)), ("nan", .double(.nan)),
      ("string", "Ü\u{301}\0 text"), ("date", .date(Date(timeIntervalSinceReferenceDate: 0.1))),
      ("data", .data(Data())), ("reference", .reference("ana")),
      ("array", .array([1, .array([]), "x"])),
      ("dictionary", .dictionary(["a": .dictionary(["b": true]), "": 1.5])),
    ]
    let assignments = values.map { Assignment($0, $1, semanticType: "a \($0.text)") }
    return .create(Creation("every kind", "Kinds", assignments))
  }

  /// More keys than a table has columns for.
  private var wide: VarveTestSupport.Operation {
    let assignments = (0..<205).map { Assignment(PropertyKey("key \($0)"), .int(Int64($0))) }
    return .create(Creation("Wide", "Wide", assignments))
  }

  private var manyTypes: [VarveTestSupport.Operation] {
    let names = ["select", "t1", "Größe", "a b", "ROWID", "x\"y"]
    return names.map { .create(Creation(EntityID(unchecked: "of \($0)"), EntityType($0))) }
      + (0..<300).map { number in
        let name = Assignment("name", .string("row \(number % 7)"))
        return .create(Creation(EntityID(unchecked: "row \(number)"), "Row", [name]))
      }
  }

  private var team: [VarveTestSupport.Operation] {
    [
      .create(Creation("team", "Team")), .create(Creation("ana", "Person")),
      .create(Creation("ben", "Person")), .clear("team", "players"),
      .relate("team", Relation(.member, "players"), "ana", nil),
      .relate("team", Relation(.member, "players"), "ben", nil),
      .relate("team", Relation(.owns, "staff"), "ben", nil),
      .relate("ana", Relation(.free, "friend"), "ben", nil),
    ]
  }

  /// Writes conflicting values, an unseen death, and cells with times of their own.
  private func writeApart(_ one: any Backend, _ two: any Backend) async throws {
    try await one.catchUp(with: two)
    try await two.catchUp(with: one)
    let past = HybridTime(millisecondsSince1970: clock.now - 86_400_000)
    let future = HybridTime(millisecondsSince1970: clock.now + 86_400_000)
    try await write([.set("ana", Assignment("color", "red"), time: nil)], to: one)
    try await write([.erase("team")], to: one)
    clock.advance(by: 5)
    try await write([.set("ana", Assignment("color", "blue"), time: nil)], to: two)
    try await write([.set("ben", Assignment("size", 4), time: past)], to: two)
    try await write([.set("ben", Assignment("size", 5), time: future)], to: two)
    try await one.catchUp(with: two)
    try await write([.restore("team"), .unset("ana", "color", time: future)], to: two)
    let retired = Creation(
      Retirement.id(of: ReplicaID(high: 7, low: 9)),
      Retirement.entityType,
      [Assignment(Retirement.through, 3)]
    )
    let gone = VarveTestSupport.Operation.unrelate("team", Relation(.member, "players"), "ana")
    try await write([gone, .create(retired)], to: two)
  }

  /// A copied file that continues under the same replica id.
  private func fork(_ store: SQLiteBackend) async throws {
    let copy = ReferenceBackend(
      replica: try await store.replica(),
      wallMilliseconds: clock.reading()
    )
    try await write([.create(Creation("fork", "Hat"))], to: copy)
    _ = try await store.append(copy.arrivals())
  }

  private func tell(_ store: String, _ name: String) async throws {
    let scratch = try Scratch()
    let backend = try await GoldenCorpus.open(try scratch.copy(store))
    try Data(try await GoldenCorpus.text(of: backend).utf8).write(to: GoldenCorpus.url(name))
    try await backend.close()
    for suffix in ["-wal", "-shm", "-checkpoint"] {
      try? FileManager.default.removeItem(atPath: path(store) + suffix)
    }
  }

  // MARK: Exchange

  private func makeExchange() async throws {
    let scratch = try Scratch()
    let large = ReferenceBackend(
      replica: ReplicaID(high: 7, low: 4),
      wallMilliseconds: { GoldenCorpus.now }
    )
    let chunked = Assignment("data", .data(Data(count: 2_500_000)))
    try await write([.create(Creation("large", "File", [chunked]))], to: large)
    _ = try await SyncFolder(path("large")).synchronize(large)
    let one = try await GoldenCorpus.open(try scratch.copy("one.varve"))
    let two = try await GoldenCorpus.open(try scratch.copy("two.varve"))
    try await one.catchUp(with: large)
    let frames = try await transcript(one, two)
    try Data(frames.flatMap(\.encoded)).write(to: GoldenCorpus.url("transcript.bin"))
    try Data(try await GoldenCorpus.text(of: one).utf8).write(to: GoldenCorpus.url("after.txt"))
    _ = try await SyncFolder(path("folder")).synchronize(one)
    let store = Store(backend: one)
    let document = GoldenOutput()
    try await store.export(.full) { document.add($0) }
    try document.data.write(to: GoldenCorpus.url("full.json"))
    try await store.close()
    try await two.close()
  }

  private func transcript(_ one: any Backend, _ two: any Backend) async throws -> [GoldenFrame] {
    var sides = [try await GoldenSide(one, tag: 1), try await GoldenSide(two, tag: 2)]
    var frames: [GoldenFrame] = []
    var arriving: [[[UInt8]]] = [[], []]
    for side in 0..<2 { arriving[1 - side] = try await sides[side].step() }
    frames += arriving[1].map { GoldenFrame(side: 0, bytes: $0) }
    frames += arriving[0].map { GoldenFrame(side: 1, bytes: $0) }
    while let side = arriving.firstIndex(where: { !$0.isEmpty }) {
      let sent = try await sides[side].step(arriving[side].removeFirst())
      arriving[1 - side] += sent
      frames += sent.map { GoldenFrame(side: side, bytes: $0) }
    }
    return frames
  }
}

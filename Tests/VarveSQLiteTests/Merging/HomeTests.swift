import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStoreTestSupport
import VarveTestSupport

@Suite("A log at home in a plain file, with SQLite files as its indexes")
struct HomeTests {
  @Test(arguments: HomeTrial.Rule.allCases)
  func `keeps the rules of homes`(rule: HomeTrial.Rule) async throws {
    var trial = try await HomeTrial(FileHomeSubject())
    try await trial.play(rule)
  }

  @Test(arguments: IndexTrial.Rule.allCases)
  func `keeps the rules of indexes`(rule: IndexTrial.Rule) async throws {
    try await IndexTrial(FileHomeSubject()).play(rule)
  }

  @Test func `passes over an addition whose process was killed half-way`() async throws {
    let subject = try FileHomeSubject()
    let scratch = try Scratch()
    let url = URL(fileURLWithPath: subject.path)
    let index = try await open(scratch.path("index"), subject)
    try await index.create("one", "Hat")
    try await index.close()
    let whole = try Data(contentsOf: url)
    for count in [1, 8, 39, 41, 200] {
      try (whole + Data(whole.prefix(count))).write(to: url)
      let again = try await open(scratch.path("again \(count)"), subject)
      try await again.set("one", "size", .int(Int64(count)))
      #expect(try await again.findings() == [])
      try await again.close()
      let other = try await open(scratch.path("other \(count)"), subject)
      #expect(try await other.value("one", "size") == .int(Int64(count)))
      try await other.close()
      try whole.write(to: url)
    }
  }

  @Test(
    arguments: 0..<6 as Range<UInt64>
  )
  func `in random histories, with indexes lost, ended and behind`(seed: UInt64) async throws {
    let subject = try FileHomeSubject()
    let scratch = try Scratch()
    let clock = subject.clock
    var random = SplitMix64(seed: seed)
    var generator = HistoryGenerator(seed: seed, replicaCount: 1, startMilliseconds: clock.now)
    func open(_ place: Int, _ home: (any LogHome)? = nil) async throws -> SQLiteBackend {
      try await self.open(scratch.path("\(place)"), subject, home)
    }
    var indexes = [try await open(0), try await open(1)]
    for _ in 0..<40 {
      clock.advance(by: 1_000)
      let place = random.chance(50) ? 0 : 1
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        try await indexes[place].close()
        if random.chance(50) {
          for suffix in ["", "-wal", "-shm"] { try scratch.remove("\(place)\(suffix)") }
        }
        indexes[place] = try await open(place)
      case 1:
        try await indexes[place].close()
        let broken: [BreakingHome.Break] = [.endsAfter, .unknownAfter, .unknownBefore]
        let home = BreakingHome(try subject.home(), random.pick(broken))
        let ended = try await open(place, home)
        _ = try? await ended.create(EntityID(unchecked: "ended \(random.next())"), "Hat")
        try await ended.close()
        indexes[place] = try await open(place)
      case 2:
        try await subject.backUp()
      case 3:
        guard FileManager.default.fileExists(atPath: subject.backupPath) else { continue }
        try await subject.goBack()
        for index in indexes { try await index.follow() }
        try FileManager.default.removeItem(atPath: subject.backupPath)
      default:
        guard case .write(_, let operations) = generator.next() else { continue }
        try await indexes[place].write(operations)
      }
    }
    var exports: [CanonicalExport] = []
    var ends: Set<HomePosition> = []
    for index in indexes {
      try await index.applyArrivals()
      ends.insert(try await index.end())
      #expect(try await index.findings() == [], "seed \(seed)")
      exports.append(try await CanonicalExport(of: index))
    }
    #expect(ends.count == 1, "seed \(seed)")
    #expect(exports[0].firstDifference(from: exports[1]) == nil, "seed \(seed)")
    let reference = ReferenceBackend(wallMilliseconds: clock.reading())
    try await reference.catchUp(with: indexes[0])
    let folded = try await CanonicalExport(of: reference)
    #expect(exports[1].firstDifference(from: folded) == nil, "seed \(seed)")
  }

  @Test(
    arguments: Seeds.first(4, of: 0..<40)
  )
  func `has the state of the fold while histories with merges and purges are played`(seed: UInt64)
    async throws
  {
    let scratch = try Scratch()
    let trial = BackendTrial(seed: seed, forgetting: seed % 2 == 0 ? [] : [.purges, .compacts]) {
      replica,
      clock in
      var configuration = SQLiteBackend.Configuration()
      configuration.checksInvariants = true
      configuration.wallMilliseconds = clock.reading()
      configuration.home = try FileHome(scratch.path(replica.text), replica: replica) {
        HybridTime(millisecondsSince1970: clock.now)
      }
      return try await SQLiteBackend.open(.inMemory, configuration: configuration)
    }
    let difference = try await seed % 4 < 2 ? trial.lockstep() : trial.append()
    #expect(difference == nil, "\(difference ?? "")")
  }

  private func open(
    _ path: String,
    _ subject: FileHomeSubject,
    _ home: (any LogHome)? = nil
  ) async throws -> SQLiteBackend {
    var configuration = SQLiteBackend.Configuration()
    configuration.wallMilliseconds = subject.clock.reading()
    configuration.home = try home ?? subject.home()
    configuration.checksInvariants = true
    return try await SQLiteBackend.open(.file(path), configuration: configuration)
  }
}

@Suite("A home of several spaces")
struct FolderHomeTests {
  @Test func `keeps their logs apart, under names that are unique and ids that never return`()
    async throws
  {
    let home = try FolderHome(try Scratch().path)
    let (hats, cats) = (try await home.create("hats"), try await home.create("cats"))
    #expect(try await home.spaces() == [cats, hats])
    let refusal = await failure { _ = try await home.create("hats") }
    #expect(refusal?.code == .duplicateIdentifier)
    let stores = try await [hats, cats].map(\.id).asyncStores(home)
    try await stores[0].create("one", "Hat")
    #expect(try await stores[1].commitCount(beyond: .empty) == 0)
    let log = try await home.log(of: hats.id)
    try await home.end(hats.id)
    for space in [hats.id, .random()] {
      let refusal = await failure { _ = try await home.log(of: space) }
      #expect(refusal?.code == .notFound)
    }
    let ended = await failure { _ = try await log.head() }
    #expect(ended?.code == .notFound)
    let ending = await failure { try await stores[0].set("one", "size", 1) }
    #expect(ending?.code == .notFound)
    let again = try await home.create("hats")
    #expect(again.id != hats.id)
    #expect(try await home.log(of: again.id).head().position.number == 0)
  }
}

extension [SpaceID] {
  fileprivate func asyncStores(_ home: any Home) async throws -> [SQLiteBackend] {
    var stores: [SQLiteBackend] = []
    for space in self {
      var configuration = SQLiteBackend.Configuration()
      configuration.home = try await home.log(of: space)
      stores.append(try await SQLiteBackend.open(.inMemory, configuration: configuration))
    }
    return stores
  }
}

package import VarveCore

/// Compares what a home has of a space with its hashes and seals.
package struct SpaceCheck: Sendable {
  /// The name of the space.
  package let name: String
  /// Its id.
  package let id: SpaceID
  /// What is wrong.
  package private(set) var findings: [String] = []
  /// The number of arrivals that were read.
  package private(set) var arrivalCount: Int64 = 0

  /// The place after the arrivals so far.
  private var position = HomePosition(incarnation: 0)
  /// What that place would be by the events, where an arrival says something else.
  private var derived: HomePosition?
  /// The commits that are withheld at that place.
  private var withheld: Set<CommitID> = []
  /// The commits with redacted blocks, and the first of the arrivals that have them.
  private var redacted: [CommitID: Int64] = [:]
  /// The commits that redactions or proofs of purging name.
  private var named: Set<CommitID> = []
  /// Whether the space is a relay of a sealed one.
  private let isSealed: Bool

  /// The number of arrivals that are read at once.
  private static let pageCount: Int64 = 512

  private init(_ space: CheckedSpace) {
    name = space.name
    id = space.id
    findings = space.findings
    isSealed = space.head.isSealed
  }

  /// Reads everything of a space.
  static func run(on space: CheckedSpace, at home: PostgresHome) async throws -> SpaceCheck {
    var check = SpaceCheck(space)
    do {
      try await home.inSnapshot(of: space.id) { connection, head in
        try await check.read(connection, upTo: head.position)
      }
    } catch let error as VarveError where error.code == .notFound {
      check.findings.append("it ended during the check")
    } catch let error as VarveError where [.damaged, .newerFormat].contains(error.code) {
      check.findings.append(error.message)
    }
    return check
  }

  private mutating func read(_ connection: KeptConnection, upTo head: HomePosition) async throws {
    var blocks = BlockRows(connection, id)
    var hasMore = true
    while hasMore {
      let page = try await connection.read(
        HomeStatement.checkArrivals(
          PostgresValue(id),
          .integer(position.number),
          .integer(Self.pageCount)
        )
      )
      for row in 0..<page.count {
        let arrival = CheckedArrival(page, row)
        find(try await blocks.strays(before: arrival.position))
        add(arrival, try await blocks.rows(of: arrival.position), upTo: head)
      }
      hasMore = page.count == Int(Self.pageCount)
    }
    find(try await blocks.strays(before: nil))
    for (commit, number) in redacted.sorted(by: { $0.value < $1.value })
    where !named.contains(commit) {
      note("it has redacted blocks, and no commit redacts it", number)
    }
    if position.number < head.number {
      findings.append("the arrivals after \(position.number) up to \(head.number) are missing")
    }
  }

  private mutating func find(_ strays: [(position: Int64, count: Int)]) {
    for stray in strays {
      findings.append(
        "there are \(stray.count) blocks of arrival \(stray.position), which is not there"
      )
    }
  }

  private mutating func add(
    _ arrival: CheckedArrival,
    _ blocks: [CheckedBlock],
    upTo head: HomePosition
  ) {
    arrivalCount += 1
    let number = arrival.position
    if number > position.number + 1 {
      findings.append("the arrivals after \(position.number) up to \(number - 1) are missing")
    } else if let event = arrival.event {
      compareRunning(of: arrival, event)
    }
    position = HomePosition(incarnation: 0, number: number, running: arrival.running)
    if number > head.number { note("it is beyond the head, \(head.number)", number) }
    if number == head.number, head.running != arrival.running {
      note("its running hash is not that of the head", number)
    }
    guard let event = arrival.event else {
      return note("its kind, \(arrival.kind), or its hash is none that a host writes", number)
    }
    if let seal = arrival.seal, seal != arrival.expectedSeal(event, in: id) {
      note("it was changed outside of Varve", number)
    }
    if event.kind == .record {
      addRecord(event, arrival, blocks)
    } else {
      addCommit(event, arrival, blocks)
    }
  }

  private mutating func addRecord(
    _ event: HomeArrival,
    _ arrival: CheckedArrival,
    _ blocks: [CheckedBlock]
  ) {
    let number = arrival.position
    if !isSealed { note("it is a record of a sealed space, and the space is an open one", number) }
    // Only hosts that seal rows write records.
    if arrival.seal == nil { note("it has no seal", number) }
    if !blocks.isEmpty { note("it is a record with \(blocks.count) blocks", number) }
    guard let record = arrival.header else { return note("it has no record", number) }
    if HomeArrival.record(record).commit != event.commit {
      note("its record is not that of its hash", number)
    }
    do {
      if case .purge(let block, _) = try SealedRecord(encoded: record) {
        named.insert(block.commit)
      }
    } catch {
      note((error as? VarveError)?.message ?? "\(error)", number)
    }
  }

  /// Compares the running hash with that of the events: a changed one is found once, and what follows it
  /// goes on from what it should be.
  private mutating func compareRunning(of arrival: CheckedArrival, _ event: HomeArrival) {
    let places = [position, derived].compactMap(\.self).map { place in
      var next = place
      next.advance(past: event)
      return next
    }
    guard !places.contains(where: { $0.running == arrival.running }) else {
      derived = nil
      return
    }
    note("its running hash is not that of its events", arrival.position)
    derived = places.last
  }

  private mutating func addCommit(
    _ event: HomeArrival,
    _ arrival: CheckedArrival,
    _ blocks: [CheckedBlock]
  ) {
    let number = arrival.position
    switch event.kind {
    case .release:
      if withheld.remove(event.commit) == nil { note("it releases what is not withheld", number) }
    case .withheldCommit: withheld.insert(event.commit)
    case .commit, .completion, .record: break
    }
    if blocks.map(\.index) != Array(0..<arrival.blockCount) {
      note("it has \(blocks.count) blocks where \(arrival.blockCount) are expected", number)
    }
    if !blocks.contains(where: \.block.isRedacted),
      blocks.reduce(0, { $0 + $1.block.stored.count }) != Int(arrival.byteCount)
    {
      note("its blocks do not have \(arrival.byteCount) bytes", number)
    }
    for block in blocks where block.isChanged(isSealed: arrival.seal != nil) {
      note("block \(block.index) was changed outside of Varve", number)
    }
    guard let header = arrival.header else {
      if event.kind != .release { note("it has no header", number) }
      return
    }
    guard event.kind != .release else { return note("it is a release with a header", number) }
    do {
      let commit = Commit(header: try CommitHeader(encoded: header), blocks: blocks.map(\.block))
      try commit.verify()
      if commit.id != event.commit { note("its header is not that of its commit", number) }
      if blocks.contains(where: \.block.isRedacted), redacted[event.commit] == nil {
        redacted[event.commit] = number
      }
      named.formUnion(try commit.redactions().map(\.commit))
    } catch {
      note((error as? VarveError)?.message ?? "\(error)", number)
    }
  }

  private mutating func note(_ what: String, _ number: Int64) {
    findings.append("arrival \(number): \(what)")
  }
}

import VarveCore
import VarveSync

extension Simulation {
  /// Lets one thing happen.
  func takeStep() async throws {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<22: try await write(random.pick(stores))
    case ..<28: moveClock()
    case ..<40: connect()
    case ..<84: try await advanceLinks()
    case ..<89: disturb()
    case ..<91: random.pick(stores).failure = random.chance(50) ? .before : .after
    case ..<92: try await restart(random.pick(stores).number)
    case ..<93: try await suspend(random.pick(stores))
    case ..<94: fillDisk()
    case ..<95: try await addNewcomer()
    case ..<96: try await copyFile()
    case ..<97: try await restoreBackup()
    case ..<98: try await retire()
    default: try await useFolder()
    }
  }

  /// Writes one transaction of random operations, or of two values that must always be seen
  /// together.
  func write(_ store: SimulatedStore) async throws {
    guard !store.isFull else { return }
    writeCount += 1
    if plan.fault == .conflictsFolded, random.chance(20) { try await foldConflicts(of: store) }
    do {
      try await write(operations(of: store), in: store)
    } catch let error as VarveError where error.code == .historyAwaited {
      note("store \(store.number) has not enough of the others yet to write")
    }
  }

  private func write(_ operations: [Operation], in store: SimulatedStore) async throws {
    let request = WriteRequest(author: "store \(store.number)")
    let before = try await store.backend.frontier()
    let (_, receipt) = try await store.backend.write(request) { writer in
      for operation in operations { try await operation.apply(to: writer) }
    }
    guard let commit = receipt?.commit else { return }
    for own in try await store.backend.commits(beyond: before, atMost: .max)
    where own.id == commit.id { originals[own.id] = own }
    note("store \(store.number) writes \(commit.id.replica.text.prefix(8))#\(commit.id.sequence)")
    tally.writeCount += 1
    acknowledged.insert(commit.id)
    written.insert(commit.id)
    let bound = clock.now + store.skew + HybridClock.defaultToleranceMilliseconds
    guard commit.time.millisecondsSince1970 <= bound else {
      throw SimulationFailure("R11: a local stamp lies beyond the bound of the local clock")
    }
  }

  private func operations(of store: SimulatedStore) -> [Operation] {
    if isHugeDue {
      isHugeDue = false
      tally.hugeCount += 1
      return hugeOperations()
    }
    if random.chance(8) { return recordOperations(of: store) }
    if !plan.forgetting.isEmpty, random.chance(8) {
      tally.forgettingCount += 1
      let purges = plan.forgetting.contains(.purges)
      if purges, !plan.forgetting.contains(.compacts) || random.chance(50) {
        return [.purge(random.pick(generator.ids))]
      }
      let ago = random.pick([1, 60_000, 3_600_000] as [Int64])
      return [.compact(HybridTime(millisecondsSince1970: clock.now + store.skew - ago))]
    }
    if random.chance(30) {
      let create = Operation.create(Creation(Self.pair, "Pair"))
      let sides = ["left", "right"] as [PropertyKey]
      return [create]
        + sides.map { .set(Self.pair, Assignment($0, .int(writeCount)), time: nil) }
    }
    if random.chance(6) {
      tally.largeCount += 1
      return (0..<60).map { number in
        // The value does not compress, so that every limit is reached.
        let words = (0..<6).map { _ in String(random.next(), radix: 36) }
        let value = Value.string(words.joined())
        let id = EntityID(unchecked: "large \(writeCount) \(number)")
        return .create(Creation(id, "Hat", [Assignment("name", value)]))
      }
    }
    while true {
      if case .write(_, let operations) = generator.next() { return operations }
    }
  }

  /// A record of one type as different versions of a program write it: other keys, other kinds, so
  /// that every store's catalogue is another.
  private func recordOperations(of store: SimulatedStore) -> [Operation] {
    tally.recordCount += 1
    let id = EntityID(unchecked: "record \(random.pick([1, 2, 3, 4]))")
    let number = Int64(writeCount)
    let values: [Assignment] =
      switch store.number % 3 {
      case 0: [Assignment("name", .string("n\(number)")), Assignment("size", .int(number))]
      case 1: [Assignment("title", .string("n\(number)")), Assignment("size", .double(0.5))]
      default:
        [Assignment("name", .array([.int(number)]))]
          + (0..<9).map { Assignment(PropertyKey("extra \(number % 40) \($0)"), .bool(true)) }
      }
    return [.create(Creation(id, "Record"))] + values.map { .set(id, $0, time: nil) }
  }

  /// Returns the operations of a commit of a hundred thousand cells: entities of nine properties
  /// each.
  private func hugeOperations() -> [Operation] {
    (0..<10_000).map { number in
      let values = (0..<9).map { Assignment(PropertyKey("p\($0)"), .int(Int64(number * $0))) }
      return .create(Creation(EntityID(unchecked: "huge \(number)"), "Huge", values))
    }
  }

  /// Retires a replica: the store's own, or a known one.
  private func retire() async throws {
    let store = random.pick(stores)
    let heads = try await store.backend.frontier().heads
    guard !store.isFull, !heads.isEmpty else { return }
    let head = random.pick(heads)
    tally.retireCount += 1
    let through = Assignment(Retirement.through, .int(head.sequence))
    let entity = Creation(
      Retirement.id(of: head.replica),
      Retirement.entityType,
      [through]
    )
    do {
      try await write([.create(entity)], in: store)
    } catch let error as VarveError where error.code == .historyAwaited {
      return
    }
    _ = try await store.backend.leaveRetired()
  }

  /// Suspends a store, which refuses calls meanwhile if it is in a file, and resumes it.
  private func suspend(_ store: SimulatedStore) async throws {
    note("store \(store.number) is suspended")
    try await store.backend.suspend(patienceMilliseconds: 60_000)
    do {
      _ = try await store.backend.frontier()
      // The stores with even numbers are in memory.
      guard store.number % 2 == 0 else {
        throw SimulationFailure("store \(store.number) is read while it is suspended")
      }
    } catch let error as VarveError where error.code == .suspended {}
    try await store.backend.resume()
  }

  /// Moves time on, or sets the clock of a store.
  private func moveClock() {
    if random.chance(60) {
      clock.advance(by: random.pick([1, 1_000, 60_000, 3_600_000, 86_400_000]))
    } else {
      let hour: Int64 = 3_600_000
      let skew = random.pick([0, 0, hour, -hour, 8_760 * hour, -8_760 * hour, 240_000])
      random.pick(stores).skew = skew
    }
  }

  /// Adds a device with an empty store.
  private func addNewcomer() async throws {
    guard stores.count < plan.storeCount + 2 else { return }
    defer { nextNumber += 2 }
    let newcomer = try await addStore(nextNumber + 1)
    tally.newcomerCount += 1
    note("store \(newcomer.number) is new")
    // Only a store of the same kind can send it the present before history.
    let others = stores.filter { $0.number % 2 == 1 && $0.number != newcomer.number }
    guard !others.isEmpty else { return }
    let first = random.pick(others)
    links.append(link(first, newcomer))
    // A second synchronisation may run beside the first.
    let rest = stores.filter { $0.number != newcomer.number && $0.number != first.number }
    if !rest.isEmpty, random.chance(50) { links.append(link(random.pick(rest), newcomer)) }
  }

  private func connect() {
    guard links.count < 4 else { return }
    let one = random.pick(stores)
    let others = stores.filter { $0.number != one.number }
    let two = random.pick(others)
    guard !links.contains(where: { $0.joins(one.number) && $0.joins(two.number) }) else { return }
    links.append(link(one, two))
  }

  func link(_ one: SimulatedStore, _ two: SimulatedStore) -> SimulatedLink {
    defer { nextTag += 2 }
    tally.linkCount += 1
    var limits = plan.limits
    if plan.fault == .noWindow { limits.window = 1 << 30 }
    return SimulatedLink(
      (one.number, two.number),
      (log(of: one, for: two.number), log(of: two, for: one.number)),
      tag: nextTag,
      wantsOutlines: random.chance(80),
      packing: (random.chance(80), random.chance(80)),
      limits,
      plan.limits
    )
  }

  /// Lets connections make progress for a while, in random order.
  private func advanceLinks() async throws {
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      guard !links.isEmpty else { return }
      let index = Int.random(in: links.indices, using: &random)
      let choices = links[index].choices
      guard !choices.isEmpty else {
        // No more frames will come, which an end notices at some point.
        if !links[index].isOver { tally.brokenLinkCount += 1 }
        count(links[index])
        links[index].cut()
        links.remove(at: index)
        continue
      }
      try await advance(&links[index], random.pick(choices))
    }
  }

  func advance(_ link: inout SimulatedLink, _ choice: (end: Int, isArrival: Bool)) async throws {
    guard !choice.isArrival else { return link.arrive(choice.end) }
    let here = link.ends[choice.end].store
    let there = link.ends[1 - choice.end].store
    try await link.act(choice.end, log: log(of: store(here), for: there))
  }

  func count(_ link: SimulatedLink) {
    if link.ends.allSatisfy({ $0.report != nil }) { tally.finishedLinkCount += 1 }
    for end in link.ends {
      tally.receivedCount += end.session.report.receivedCount
      tally.completedCount += end.session.report.completedCount
    }
  }

  /// Loses, doubles, swaps or damages frames, or lets nothing through in one direction.
  private func disturb() {
    guard !links.isEmpty else { return }
    let index = Int.random(in: links.indices, using: &random)
    let end = random.chance(50) ? 0 : 1
    guard !random.chance(20) else { return links[index].deafen(end) }
    var random = random
    links[index].disturb(end) { wire in
      guard !wire.isEmpty else { return }
      let place = Int.random(in: wire.indices, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: wire.remove(at: place)
      case 1: wire.insert(wire[place], at: Int.random(in: 0...wire.count, using: &random))
      case 2: wire.swapAt(place, Int.random(in: wire.indices, using: &random))
      default: wire[place][Int.random(in: wire[place].indices, using: &random)] ^= 0x10
      }
    }
    self.random = random
  }

  private func fillDisk() {
    let store = random.pick(stores)
    store.isFull.toggle()
  }

  /// Copies the file of a store. The copy continues as the same replica.
  private func copyFile() async throws {
    let store = random.pick(stores)
    if stores.count < plan.storeCount + 2, random.chance(50) {
      let number = nextNumber + store.number % 2
      nextNumber += 2
      try await copy(store, to: number)
      note("store \(store.number) is copied as \(number)")
      tally.cloneCount += 1
      _ = try await addStore(number)
    } else {
      let number = backups[store.number] ?? nextNumber + store.number % 2
      nextNumber += 2
      backups[store.number] = number
      try await copy(store, to: number)
    }
  }

  private func copy(_ store: SimulatedStore, to number: Int) async throws {
    try await restart(store.number, whileClosed: { try self.disk.copy(store.number, to: number) })
  }

  /// Replaces a store by an old copy. Commits that only it had are lost, which no other store
  /// causes.
  private func restoreBackup() async throws {
    guard let (number, backup) = random.pickPair(backups) else { return }
    guard try await !aloneForgets(store(number)), try await !isAnyAwaiting() else { return }
    note("store \(number) is restored from a backup")
    tally.restoreCount += 1
    try await restart(number, whileClosed: { try self.disk.copy(backup, to: number) })
    var kept: Set<CommitID> = []
    for store in stores {
      kept.formUnion(try await store.backend.held(among: Array(acknowledged)))
    }
    acknowledged = kept
  }

  /// The message of commits that wrongly fold conflicts.
  static let mistake = "folds conflicts"

  /// Drops all conflicting values except the greatest, as a mistaken compaction would.
  private func foldConflicts(of store: SimulatedStore) async throws {
    let request = WriteRequest(message: Self.mistake)
    let (_, receipt) = try await store.backend.write(request) { writer in
      for conflict in try await writer.valueConflicts() {
        let losers = try await writer.contentCells(of: conflict.entity)
          .filter { $0.commit != conflict.versions[0].commit.id }
          .map { redaction in
            Redaction(
              redaction.commit,
              redaction.parts.map { .init(key: conflict.key, ordinals: $0.ordinals) }
            )
          }
        if !losers.isEmpty { try await writer.redact(losers) }
      }
    }
    guard let commit = receipt?.commit else { return }
    acknowledged.insert(commit.id)
    written.insert(commit.id)
  }

  /// Returns whether only this store has a commit that redacts something. If it were lost with the
  /// store, another store with the rest would lack the redacted cells for good: a limit, see the
  /// Design, R24.
  private func aloneForgets(_ store: SimulatedStore) async throws -> Bool {
    let forgetting = try await store.backend.commits(beyond: .empty, atMost: .max)
      .filter { $0.header.kind == .redactions }.map(\.id)
    var alone = Set(forgetting)
    for other in stores where other.number != store.number && !alone.isEmpty {
      alone.subtract(try await other.backend.held(among: forgetting))
    }
    return !alone.isEmpty
  }

  /// Returns whether some store waits for whole commits, which the store to be restored may be the
  /// last to have.
  private func isAnyAwaiting() async throws -> Bool {
    for store in stores {
      if try await !store.backend.awaited(from: 0, atMost: 1).ranges.isEmpty { return true }
    }
    return false
  }

  private func restart(_ number: Int, whileClosed body: () throws -> Void) async throws {
    for index in links.indices where links[index].joins(number) { links[index].cut() }
    links.removeAll(where: \.isOver)
    let store = store(number)
    try await store.backend.close()
    try body()
    try await open(store)
  }
}

extension SplitMix64 {
  /// Returns a random entry, in an order that does not depend on hashing; nil if there are none.
  fileprivate mutating func pickPair(_ entries: [Int: Int]) -> (Int, Int)? {
    let sorted = entries.sorted { $0.key < $1.key }
    guard !sorted.isEmpty else { return nil }
    let entry = pick(sorted)
    return (entry.key, entry.value)
  }
}

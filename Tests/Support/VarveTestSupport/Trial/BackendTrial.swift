package import VarveCore

/// Compares a backend with the reference backend on random histories.
///
/// A trial returns the first difference as text, or nil. The seed reproduces it.
package struct BackendTrial: Sendable {
  /// Makes an empty backend that writes under a replica and reads a clock.
  package typealias Make = @Sendable (ReplicaID, TestClock) async throws -> any Backend

  private let seed: UInt64
  private let stepCount: Int
  private let forgetting: Forgetting
  private let refersInPairs: Bool
  private let make: Make

  package init(
    seed: UInt64,
    stepCount: Int = 60,
    forgetting: Forgetting = [],
    refersInPairs: Bool = false,
    make: @escaping Make
  ) {
    self.seed = seed
    self.forgetting = forgetting
    self.refersInPairs = refersInPairs
    self.stepCount = stepCount
    self.make = make
  }

  /// Plays the same history on both fleets, including local writes.
  package func lockstep() async throws -> String? {
    let reference = Fleet.reference(count: 3, seed: seed)
    let subject = try await subjects(Fleet.replicas(count: 3, seed: seed))
    var generator = HistoryGenerator(
      seed: seed,
      forgetting: forgetting,
      refersInPairs: refersInPairs
    )
    var frontiers: [FrontierPair] = []
    for (number, step) in generator.steps(stepCount).enumerated() {
      try await reference.run(step)
      try await subject.run(step)
      guard let replica = step.replica else { continue }
      let difference = try await difference(
        reference.backends[replica],
        subject.backends[replica],
        [.now],
        generator
      )
      if let difference { return report(difference, "after step \(number), \(step)") }
      guard number % 6 == 0 else { continue }
      try await frontiers.append(FrontierPair(replica, reference, subject))
    }
    return try await compareEnds(reference, subject, frontiers, generator)
  }

  /// Plays the history on reference backends, and adds its commits to the backends under trial.
  package func append() async throws -> String? {
    let reference = Fleet.reference(count: 3, seed: seed)
    let subject = try await subjects(Fleet.replicas(count: 3, seed: ~seed))
    var generator = HistoryGenerator(
      seed: seed,
      forgetting: forgetting,
      refersInPairs: refersInPairs
    )
    var frontiers: [FrontierPair] = []
    for (number, step) in generator.steps(stepCount).enumerated() {
      let before = try await died(step, in: reference)
      if case .advance = step { try await subject.run(step) }
      guard let replica = step.replica else { continue }
      let report = try await subject.backends[replica].catchUp(
        with: reference.backends[replica]
      )
      if Set(report.died) != before {
        return self.report("1: \(before.sorted())\n2: \(report.died)", "dying in step \(number)")
      }
      let difference = try await difference(
        reference.backends[replica],
        subject.backends[replica],
        [.now],
        generator
      )
      if let difference { return self.report(difference, "after step \(number), \(step)") }
      guard number % 6 == 0 else { continue }
      try await frontiers.append(FrontierPair(replica, reference, subject))
    }
    for (one, two) in zip(reference.backends, subject.backends) {
      let (first, second) = (try await one.frontier(), try await two.frontier())
      if first != second { return report("1: \(first)\n2: \(second)", "in frontiers") }
      let logs = (
        try await one.commits(beyond: .empty, atMost: .max).map(\.id),
        try await two.commits(beyond: .empty, atMost: .max).map(\.id)
      )
      if logs.0 != logs.1 { return report("1: \(logs.0)\n2: \(logs.1)", "in logs") }
    }
    return try await compareEnds(reference, subject, frontiers, generator)
  }
}

/// A frontier that a replica had at some step, in both fleets. Their hashes differ because their
/// salts do.
private struct FrontierPair {
  let replica: Int
  let reference: Frontier
  let subject: Frontier

  init(_ replica: Int, _ reference: Fleet, _ subject: Fleet) async throws {
    self.replica = replica
    self.reference = try await reference.backends[replica].frontier()
    self.subject = try await subject.backends[replica].frontier()
  }
}

extension BackendTrial {
  private func subjects(_ replicas: [ReplicaID]) async throws -> Fleet {
    let clock = TestClock()
    var backends: [any Backend] = []
    for replica in replicas { backends.append(try await make(replica, clock)) }
    return Fleet(backends, clock: clock)
  }

  private func report(_ difference: String, _ place: String) -> String {
    "seed \(seed), \(place) (1 is the reference):\n\(difference)"
  }

  /// Plays a step. Returns the entities that died by it.
  private func died(_ step: HistoryStep, in fleet: Fleet) async throws -> Set<EntityID> {
    guard let replica = step.replica else {
      try await fleet.run(step)
      return []
    }
    let before = try await live(fleet.backends[replica])
    try await fleet.run(step)
    return before.subtracting(try await live(fleet.backends[replica]))
  }

  private func live(_ backend: any Backend) async throws -> Set<EntityID> {
    try await backend.read(at: .now) { reader in
      var ids: Set<EntityID> = []
      for (type, _) in try await reader.types() {
        ids.formUnion(try await reader.fetch(Query(type)).map(\.id))
      }
      return ids
    }
  }

  private func difference(
    _ reference: any Backend,
    _ subject: any Backend,
    _ moments: [Moment],
    _ generator: HistoryGenerator
  ) async throws -> String? {
    for moment in moments {
      let difference = try await difference(reference, subject, moment, moment, generator)
      if let difference { return difference }
    }
    return nil
  }

  private func difference(
    _ reference: any Backend,
    _ subject: any Backend,
    _ moment: Moment,
    _ subjectMoment: Moment,
    _ generator: HistoryGenerator
  ) async throws -> String? {
    let refusals = (
      await refusal(of: reference, at: moment), await refusal(of: subject, at: subjectMoment)
    )
    guard refusals == (nil, nil) else {
      return refusals.0 == refusals.1
        ? nil : "at \(moment):\n1: \(refusals.0 ?? "reads")\n2: \(refusals.1 ?? "reads")"
    }
    let ids = generator.ids + ["never heard of"]
    let (one, two) = (
      try await CanonicalExport(of: reference, at: moment, ids: ids),
      try await CanonicalExport(of: subject, at: subjectMoment, ids: ids)
    )
    if let difference = one.firstDifference(from: two) { return "at \(moment):\n\(difference)" }
    let (first, second) = (
      try await overview(of: reference, at: moment),
      try await overview(of: subject, at: subjectMoment)
    )
    return first == second ? nil : "at \(moment):\n1: \(first)\n2: \(second)"
  }

  /// Returns the error of reading a moment, or nil if it can be read.
  private func refusal(of backend: any Backend, at moment: Moment) async -> String? {
    do {
      try await backend.read(at: moment) { try await $0.pin() }
      return nil
    } catch {
      return (error as? VarveError)?.code.rawValue ?? "\(error)"
    }
  }

  /// Returns a description of a state as a whole: the order of creation over all types, the
  /// conflicts, and the counts of the log. The number of ordinals in a commit is the writer's
  /// choice: an entity that was only named in a relation may be created by a row or by cells.
  private func overview(of backend: any Backend, at moment: Moment) async throws -> [String] {
    try await backend.read(at: moment) { reader in
      let conflicts = try await reader.valueConflicts().map { conflict in
        "\(conflict.entity) \(conflict.key?.text ?? "") \(conflict.versions.map(\.content))"
      }
      var tally = try await reader.tally { _ in }
      // The reference backend takes partial commits for complete ones and does not request the
      // rest.
      (tally.operationCount, tally.partialCount) = (0, 0)
      return [
        "\(try await reader.idsInCreationOrder())", "\(conflicts)", "\(tally)",
      ]
    }
  }

  /// Compares past states by time and by commits, queries and the check, and all of them again
  /// after a rebuild.
  private func compareEnds(
    _ reference: Fleet,
    _ subject: Fleet,
    _ frontiers: [FrontierPair],
    _ generator: HistoryGenerator
  ) async throws -> String? {
    for replica in reference.backends.indices {
      let (one, two) = (reference.backends[replica], subject.backends[replica])
      for place in ["in the end", "after the rebuild"] {
        if place == "after the rebuild" { try await two.rebuild() }
        let times = try await pastTimes(one)
        if let difference = try await difference(one, two, times, generator) {
          return report(difference, place)
        }
        for pair in frontiers where pair.replica == replica {
          let difference = try await difference(
            one,
            two,
            .frontier(pair.reference),
            .frontier(pair.subject),
            generator
          )
          if let difference { return report(difference, place) }
        }
        if let difference = try await queryDifference(one, two, generator) {
          return report(difference, place)
        }
        let findings = try await two.check { _ in }.findings
        if !findings.isEmpty { return report("\(findings)", "in the check \(place)") }
      }
    }
    return nil
  }

  private func pastTimes(_ backend: any Backend) async throws -> [Moment] {
    let log = try await backend.read(at: .now) { try await $0.log(limit: nil, offset: 0) }
    var random = SplitMix64(seed: seed)
    return [.now, .time(.distantPast), .time(.distantFuture)]
      + (0..<min(8, log.count)).map { _ in
        let time = random.pick(log).time
        return .time(random.chance(50) ? time : time.endOfMillisecond)
      }
  }

  private func queryDifference(
    _ reference: any Backend,
    _ subject: any Backend,
    _ generator: HistoryGenerator
  ) async throws -> String? {
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      let query = random.query(generator)
      let (one, two) = (
        try await reference.read(at: .now) { try await $0.fetch(query).map(\.id) },
        try await subject.read(at: .now) { reader in
          let fetched = try await reader.fetch(query).map(\.id)
          var paged: [EntityID] = []
          try await reader.fetch(query, pageSize: 2) { page in
            paged += page.map(\.id)
            return true
          }
          let count = try await reader.count(query)
          return fetched == paged && count == paged.count
            ? fetched : fetched + ["in pages:"] + paged
        }
      )
      if one != two { return "\(query)\n1: \(one)\n2: \(two)" }
    }
    return nil
  }
}

extension HistoryStep {
  /// The replica that changes by it, if one does.
  package var replica: Int? {
    switch self {
    case .write(let replica, _): replica
    case .merge(_, let into, _): into
    case .advance: nil
    }
  }
}

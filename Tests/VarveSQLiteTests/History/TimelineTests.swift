import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("A timeline", .serialized)
struct TimelineTests {
  @Test(
    arguments: Seeds.first(12, of: 0..<300)
  )
  func `a timeline counts the commits that the log and the histories name`(seed: UInt64)
    async throws
  {
    let history = try await PastHistory(
      seed: seed,
      forgetting: seed % 4 == 1 ? [.purges] : seed % 4 == 3 ? [.purges, .compacts] : []
    )
    var random = SplitMix64(seed: seed)
    let labels = try await history.backend.read(at: .now) { try await $0.labels() }
    let subjects: [Timeline.Subject] =
      [.store] + labels.map { .type($0) } + history.ids.map { .entity($0) } + [.type("Unheard")]
    for moment in [.now] + (try await history.moments(4, using: &random)) {
      guard try await history.canBeRead(moment) else { continue }
      for subject in subjects {
        let difference = try await difference(history, subject, moment, using: &random)
        #expect(difference == nil, "seed \(seed), \(subject) at \(moment): \(difference ?? "")")
      }
    }
    try await history.close()
  }

  private func difference(
    _ history: PastHistory,
    _ subject: Timeline.Subject,
    _ moment: Moment,
    using random: inout SplitMix64
  ) async throws -> String? {
    let log = try await history.backend.read(at: .now) { try await $0.log(limit: nil, offset: 0) }
    let times = [random.pick(log).time, random.pick(log).time].sorted()
    let request = TimelineRequest(
      of: subject,
      from: random.chance(50) ? times[0] : nil,
      through: random.chance(50) ? times[1] : nil,
      intervalCount: [1, 2, 7, 100][Int(random.next() % 4)],
      by: [nil, .author, .replica][Int(random.next() % 3)]
    )
    let span = times[0]...times[random.chance(50) ? 0 : 1]
    let id = random.pick(log).id
    let one = try await history.reference.read(at: moment) { reader in
      try await answers(of: reader, to: request, span, id)
    }
    let two = try await history.backend.read(at: moment) { reader in
      try await answers(of: reader, to: request, span, id)
    }
    return one == two ? nil : "\(request)\n1: \(one)\n2: \(two)"
  }

  private func answers(
    of reader: any BackendReader,
    to request: TimelineRequest,
    _ span: ClosedRange<HybridTime>,
    _ id: CommitID
  ) async throws -> [String] {
    [
      "\(try await reader.timeline(request))",
      "\(try await reader.commits(around: span, of: request.subject))",
      "\(try await reader.commits(around: id, of: request.subject))",
    ]
  }

  @Test func `leads from commit to commit, also among those of two copies with one time`()
    async throws
  {
    let clock = TestClock()
    var backends: [any Backend] = []
    for replica in Fleet.replicas(count: 2, seed: 1) {
      backends.append(try await openBackend(clock: clock, replica: replica))
    }
    for (copy, backend) in backends.enumerated() {
      for number in 0..<3 {
        try await backend.create(EntityID(unchecked: "hat-\(copy)-\(number)"), "Hat")
      }
    }
    try await Fleet(backends, clock: clock).mergeAll()
    try await backends[0].read(at: .now) { reader in
      let log = try await reader.log(limit: nil, offset: 0)
      #expect(log.count == 6 && Set(log.map(\.time)).count == 3)
      for subject in [Timeline.Subject.store, .type("Hat")] {
        var place: CommitSummary? = log.max { $0.time < $1.time }
        while let commit = place {
          place = try await reader.commits(around: commit.id, of: subject).next
          if place == nil {
            place = commit
            break
          }
        }
        var walked: [CommitID] = []
        while let commit = place, walked.count < 10 {
          walked.append(commit.id)
          place = try await reader.commits(around: commit.id, of: subject).previous
          guard let previous = place else { break }
          let next = try await reader.commits(around: previous.id, of: subject).next
          #expect(next?.id == commit.id)
        }
        #expect(walked.count == 6 && Set(walked).count == 6)
      }
    }
    for backend in backends { try await backend.close() }
  }

  @Test(arguments: [1, 3, 64, 99_999])
  func `a timeline adds up to the log, whatever the number of intervals`(intervals: Int)
    async throws
  {
    let clock = TestClock()
    let backend = try await openBackend(clock: clock)
    for number in 0..<40 {
      clock.advance(by: Int64(number * number % 17))
      try await backend.create(EntityID(unchecked: "hat-\(number)"), "Hat")
    }
    let request = TimelineRequest(of: .store, intervalCount: intervals)
    let timeline = try await backend.read(at: .now) { try await $0.timeline(request) }
    #expect(timeline.total == 40)
    #expect(timeline.intervals.count == intervals)
    let ends = zip(timeline.intervals, timeline.intervals.dropFirst())
    #expect(ends.allSatisfy { $0.end.successor == $1.start })
    try await backend.close()
  }
}

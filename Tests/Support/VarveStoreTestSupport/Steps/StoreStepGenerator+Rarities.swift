import VarveCore
import VarveJSON
import VarveTestSupport

extension StoreHabits {
  /// The habits with steps of their own.
  static let rare: StoreHabits = [.interleaves, .imports, .forks, .jumps]
}

/// Steps of which a history has a few, if it has the habit.
extension StoreStepGenerator {
  mutating func rarity() -> StoreStep {
    let all = [StoreHabits.interleaves, .imports, .forks, .jumps].filter { habits.contains($0) }
    let session = Int.random(in: 0..<sessionCount, using: &random)
    switch random.pick(all) {
    case .interleaves:
      let sessions = interleaved(session)
      var operations: [[StoreOperation]] = [[], []]
      for index in operations.indices {
        for _ in 0..<random.pick([1, 2, 3]) { operations[index].append(operation()) }
      }
      return .interleave(sessions.0, sessions.1, operations[0], operations[1])
    case .imports:
      return .importing(
        random.chance(40) ? referenceSession : session,
        document: document(),
        random.pick(RelationPolicy.allCases),
        isComplete: random.chance(20),
        at: date()
      )
    case .forks: return .fork
    default:
      let minutes = random.pick([6, 10, -10, -6, 30]) as Int64
      return random.chance(60)
        ? .jump(session, milliseconds: minutes * 60_000)
        : .advance(milliseconds: 11 * 60_000)
    }
  }

  /// Returns two sessions on one copy. Often it is the reference backend, whose writers wait for
  /// each other in a way of their own.
  private mutating func interleaved(_ session: Int) -> (Int, Int) {
    switch Int.random(in: 0..<10, using: &random) {
    case ..<5: (0, fileSessionCount > 1 ? 1 : 0)
    case ..<8: (referenceSession, referenceSession)
    default: (session, session)
    }
  }

  /// The session on the reference backend: the last one, if no file is copied.
  private var referenceSession: Int { fileSessionCount + 1 }

  private var fileSessionCount: Int { StoreFleet.fileSessionCount(of: sessionCount, habits) }

  /// A document of hats that name each other.
  private mutating func document() -> String {
    var objects: [JSON] = []
    for name in StoreCast.importedNames.shuffled(using: &random) where random.chance(60) {
      var members = [JSON.Member(name: "k", value: .string(name))]
      for key in ["name", "size"] where random.chance(60) {
        members.append(JSON.Member(name: key, value: random.pick([1, 2, "red", .null])))
      }
      if random.chance(40) {
        let names = (0..<Int.random(in: 0...3, using: &random)).map { _ in
          JSON.string(random.pick(StoreCast.importedNames))
        }
        members.append(JSON.Member(name: "list", value: .array(names)))
      }
      if random.chance(30) {
        members.append(
          JSON.Member(name: "one", value: .string(random.pick(StoreCast.importedNames)))
        )
      }
      objects.append(.object(members))
    }
    return JSON.array(objects).text
  }
}

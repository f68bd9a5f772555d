import Foundation
import VarveCore
import VarveStore
import VarveTestSupport

/// An endless random history over the public interface. The same seed gives the same steps.
package struct StoreStepGenerator: Sendable {
  package let cast: StoreCast
  let sessionCount: Int
  let mood: StoreMood
  let habits: StoreHabits
  var random: SplitMix64
  /// The entities that current writes are mostly about.
  var subjects: [EntityID] = []

  package init(seed: UInt64, cast: StoreCast, sessionCount: Int, habits: StoreHabits) {
    self.cast = cast
    self.sessionCount = sessionCount
    self.habits = habits
    mood = .allCases[Int(seed % UInt64(StoreMood.allCases.count))]
    random = SplitMix64(seed: seed ^ 0x5354_4F52_4553)
  }

  /// Returns the given number of steps. The first ones create entities.
  package mutating func steps(_ count: Int) -> [StoreStep] {
    // Strangers are owned and own before they are created.
    let known = cast.ids.filter { _ in !habits.contains(.strangers) || random.chance(50) }
    var steps: [StoreStep] = [
      .write(0, known.map { creation($0) }, at: nil, .commits),
      .merge(from: 0, into: sessionCount - 1, percent: 100),
    ]
    while steps.count < count {
      switch Int.random(in: 0..<100, using: &random) {
      case ..<10: steps += clash()
      case ..<14: steps += insistence()
      case ..<16 where habits.contains(.purges): steps += forgetting()
      case ..<26 where !habits.isDisjoint(with: .rare): steps.append(rarity())
      default: steps.append(next())
      }
      if habits.contains(.regrets), case .write(let session, _, _, _)? = steps.last {
        steps += Array(repeating: .undo(session, ago: 0), count: random.pick([0, 1, 1, 2, 3]))
      }
    }
    return Array(steps.prefix(count))
  }

  private mutating func next() -> StoreStep {
    let session = Int.random(in: 0..<sessionCount, using: &random)
    let other = (session + Int.random(in: 1..<sessionCount, using: &random)) % sessionCount
    switch Int.random(in: 0..<100, using: &random) {
    case ..<10:
      let percent = random.chance(60) ? 100 : 50
      return .merge(from: session, into: other, percent: percent)
    case ..<13: return .sync(session, other)
    case ..<20: return .advance(milliseconds: random.pick([1, 1, 10, 1_000, 30_000]))
    case ..<30 where habits.contains(.undoes): return .undoBack(session)
    case ..<36 where habits.contains(.undoes):
      return .undo(session, ago: random.pick([0, 0, 1, 2, 3]))
    case ..<40: return .settle(session, pick: Int.random(in: 0..<4, using: &random), settling())
    case ..<42: return random.chance(50) ? .reopen(session) : .rebuild(session)
    case ..<44: return .protect(random.chance(60) ? random.pick(cast.all) : nil)
    case ..<45: return .addIndex(session, random.pick(cast.keys), random.pick(cast.types))
    case ..<47 where habits.contains(.compacts):
      return .compact(session, milliseconds: random.pick([1, 1_000, 60_000]))
    case ..<48 where habits.contains(.retires):
      return .retire(session, pick: Int.random(in: 0..<4, using: &random))
    default: return write(session)
    }
  }

  private mutating func write(_ session: Int) -> StoreStep {
    let count = random.pick([1, 1, 1, 1, 2, 3, 5])
    let operations = (0..<count).map { _ in operation() }
    let time = random.chance(6) ? random.pick(cast.dates) : nil
    let ending: StoreStep.Ending =
      random.chance(88) ? .commits : random.chance(60) ? .fails : .isCancelled
    return .write(session, operations, at: time, ending)
  }

  private mutating func settling() -> StoreStep.Settling {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .firstVersion
    case 1: .lastVersion
    case 2: .value(random.chance(50) ? .int(7) : nil)
    case 3, 4: .death
    default: .restoring(random.pick(RestoreMode.allCases))
    }
  }
}

/// The main subject of writes in a simulation of stores.
enum StoreMood: CaseIterable {
  case anything
  case lives
  case collections
  case values
}

/// The events of a simulation of stores besides ordinary writes.
package struct StoreHabits: OptionSet, Hashable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Purges of entities.
  package static let purges = StoreHabits(rawValue: 1)
  /// Compactions of history.
  package static let compacts = StoreHabits(rawValue: 2)
  /// Retirements of replicas.
  package static let retires = StoreHabits(rawValue: 4)
  /// Undos of commits.
  package static let undoes = StoreHabits(rawValue: 8)
  /// Saves of models.
  package static let saves = StoreHabits(rawValue: 16)
  /// Subscriptions to changes, and live queries.
  package static let watches = StoreHabits(rawValue: 32)
  /// Writes that begin in the middle of others.
  package static let interleaves = StoreHabits(rawValue: 64)
  /// Imports by a mapping.
  package static let imports = StoreHabits(rawValue: 128)
  /// Copies of a file, which both continue.
  package static let forks = StoreHabits(rawValue: 256)
  /// Clocks whose error exceeds the tolerance, so that commits are withheld.
  package static let jumps = StoreHabits(rawValue: 512)
  /// Attempts, and writes to entities that a query or a value selects.
  package static let selects = StoreHabits(rawValue: 1024)

  /// Entities that own and are owned before they are created.
  package static let strangers = StoreHabits(rawValue: 2048)
  /// An undo of most writes at once, and of some undos.
  package static let regrets = StoreHabits(rawValue: 4096)

  /// Whether the past changes.
  package var forgets: Bool { !isDisjoint(with: [.purges, .compacts]) }

  /// Returns the habits of a seed.
  package static func of(seed: UInt64) -> StoreHabits {
    var habits: StoreHabits
    switch seed / 4 % 4 {
    case 0: habits = [.undoes]
    case 1: habits = [.undoes, .saves, .selects]
    case 2: habits = [.undoes, .purges, .compacts, .retires]
    default: habits = [.purges, .saves, .selects]
    }
    var random = SplitMix64(seed: seed ^ 0x4841_4249_5453)
    for (habit, percent) in [
      (.watches, 50), (.interleaves, 40), (.imports, 30), (.forks, 30), (.jumps, 20),
      (.strangers, 40), (.regrets, 20),
    ] as [(StoreHabits, Int)] where random.chance(percent) {
      habits.insert(habit)
    }
    // A write applies what has become due, so its undo is not its own.
    if habits.contains(.jumps) { habits.subtract(.undoes) }
    if !habits.contains(.undoes) { habits.subtract(.regrets) }
    return habits
  }
}

package import VarveTestSupport

/// The parameters of a simulation of stores.
package struct StorePlan: Sendable {
  package var seed: UInt64
  package var stepCount: Int
  /// The number of steps after which the slow comparisons are made: the fold, another order of
  /// arrival, past states, differences.
  package var thoroughEvery: Int
  /// The number of sessions that are open on the store in a file.
  package var sessionCount = 2
  package var habits: StoreHabits
  /// The kinds of known failures that are not fixed yet.
  package var passedOver: Set<StoreFailure.Kind> = []
  /// The planted fault of the reference backend among the stores.
  package var fault: ReferenceFault? {
    didSet {
      // Most faults show only in histories with the habit that they concern.
      switch fault {
      case .silentDeaths: habits.formUnion(.watches)
      case .lostUpdates: habits.formUnion(.interleaves)
      case .numbersOnly: habits.formUnion(.forks)
      case .mistakenLikeness: habits.formUnion(.imports)
      case .impatience: habits = [.jumps, .saves]
      default: break
      }
    }
  }

  package init(seed: UInt64, stepCount: Int = 40, thoroughEvery: Int = 8) {
    self.seed = seed
    self.stepCount = stepCount
    self.thoroughEvery = thoroughEvery
    habits = .of(seed: seed)
  }

  /// The entities that the steps are about. Some seeds have very few.
  var cast: StoreCast {
    StoreCast(
      seed: seed,
      idCount: seed / 16 % 2 == 0 ? 5 : 3,
      imports: habits.contains(.imports)
    )
  }

  /// The steps of the seed.
  package var steps: [StoreStep] {
    var generator = StoreStepGenerator(
      seed: seed,
      cast: cast,
      sessionCount: StoreFleet.sessionCount(onFile: sessionCount, habits),
      habits: habits
    )
    return generator.steps(stepCount)
  }
}

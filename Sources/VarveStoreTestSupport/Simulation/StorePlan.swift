package import VarveTestSupport

/// What a simulation of stores is to be.
package struct StorePlan: Sendable {
  package var seed: UInt64
  package var stepCount: Int
  /// After how many steps all is compared that takes long: the fold, another order of arrival, past
  /// states, differences.
  package var thoroughEvery: Int
  /// How many sessions are open on the store in a file.
  package var sessionCount = 2
  package var habits: StoreHabits
  /// Failures that are known and not mended yet.
  package var passedOver: Set<StoreFailure.Kind> = []
  /// What the reference backend among the stores does wrong.
  package var fault: ReferenceFault?

  package init(seed: UInt64, stepCount: Int = 40, thoroughEvery: Int = 8) {
    self.seed = seed
    self.stepCount = stepCount
    self.thoroughEvery = thoroughEvery
    habits = .of(seed: seed)
  }

  /// Who the steps are about: of some seeds very few.
  var cast: StoreCast { StoreCast(seed: seed, idCount: seed / 16 % 2 == 0 ? 5 : 3) }

  /// The steps of the seed.
  package var steps: [StoreStep] {
    var generator = StoreStepGenerator(
      seed: seed,
      cast: cast,
      sessionCount: StoreFleet.sessionCount(onFile: sessionCount),
      habits: habits
    )
    return generator.steps(stepCount)
  }
}

/// What a simulation of stores is to be.
package struct StorePlan: Sendable {
  package var seed: UInt64
  package var stepCount: Int
  /// After how many steps all is compared that takes long: the fold, another order of arrival, past
  /// states, differences.
  package var thoroughEvery: Int
  package var habits: StoreHabits
  /// Failures that are known and not mended yet.
  package var passedOver: Set<StoreFailure.Kind> = []
  package var fault: StoreFault?

  package init(seed: UInt64, stepCount: Int = 40, thoroughEvery: Int = 8) {
    self.seed = seed
    self.stepCount = stepCount
    self.thoroughEvery = thoroughEvery
    habits = .of(seed: seed)
  }

  /// The steps of the seed.
  package var steps: [StoreStep] {
    var generator = StoreStepGenerator(
      seed: seed,
      cast: StoreCast(seed: seed),
      sessionCount: StoreFleet.sessionCount,
      habits: habits
    )
    return generator.steps(stepCount)
  }
}

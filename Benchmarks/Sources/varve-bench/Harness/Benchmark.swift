/// Something several contestants do side by side.
struct Benchmark {
  let name: String
  /// What is measured: seconds, unless a contestant says bytes.
  var unit = Unit.seconds
  let contestants: [Contestant]
  let comparisons: [Comparison]

  /// One contestant alone, if a name is given.
  func only(_ contestant: String?) -> Benchmark {
    guard let contestant else { return self }
    return Benchmark(
      name: name,
      unit: unit,
      contestants: contestants.filter { $0.name == contestant },
      comparisons: []
    )
  }

  enum Unit {
    case seconds
    case bytes
  }

  /// One way to do it. Less is better.
  struct Contestant {
    let name: String
    /// How many things one run does, to show what one of them costs.
    let count: Int
    /// Whether what it comes to must be what the others of its kind come to.
    let isCompared: Bool
    /// Runs once and answers the cost, untimed preparations left out.
    let run: (Evidence) async throws -> Double

    /// One that does what no other does.
    init(name: String, count: Int = 1, run: @escaping () async throws -> Double) {
      self.name = name
      self.count = count
      isCompared = false
      self.run = { _ in try await run() }
    }

    /// One that proves what it did.
    init(name: String, count: Int = 1, proving run: @escaping (Evidence) async throws -> Double) {
      self.name = name
      self.count = count
      isCompared = true
      self.run = run
    }
  }

  /// Which contestant is held against which.
  struct Comparison {
    let name: String
    let subject: String
    let anchor: String
    let kind: Kind
    let bar: Bar?

    /// What the ratio is of.
    enum Kind {
      /// The subject's rate in multiples of the anchor's: more is better.
      case rate
      /// The subject's cost in multiples of the anchor's: less is better.
      case cost
    }
  }
}

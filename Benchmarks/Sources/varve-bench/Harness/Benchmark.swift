/// Something several contestants do side by side.
struct Benchmark {
  let name: String
  /// The measured unit: seconds, unless a contestant returns bytes.
  var unit = Unit.seconds
  let contestants: [Contestant]
  let comparisons: [Comparison]

  /// Returns the benchmark with one contestant only, if a name is given.
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
    /// The number of operations in one run, for the cost of one of them.
    let count: Int
    /// Whether the result must equal that of the other contestants of its kind.
    let isCompared: Bool
    /// Runs once and returns the cost, without untimed preparations.
    let run: (Evidence) async throws -> Double

    /// Creates a contestant whose result is not compared.
    init(name: String, count: Int = 1, run: @escaping () async throws -> Double) {
      self.name = name
      self.count = count
      isCompared = false
      self.run = { _ in try await run() }
    }

    /// Creates a contestant that provides evidence.
    init(name: String, count: Int = 1, proving run: @escaping (Evidence) async throws -> Double) {
      self.name = name
      self.count = count
      isCompared = true
      self.run = run
    }
  }

  /// A comparison of one contestant with another.
  struct Comparison {
    let name: String
    let subject: String
    let anchor: String
    let kind: Kind
    let bar: Bar?

    /// The quantity of the ratio.
    enum Kind {
      /// The subject's rate in multiples of the anchor's: more is better.
      case rate
      /// The subject's cost in multiples of the anchor's: less is better.
      case cost
    }
  }
}

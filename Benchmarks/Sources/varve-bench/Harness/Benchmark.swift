/// Something several contestants do side by side.
struct Benchmark {
  let name: String
  /// What is measured: seconds, unless a contestant says bytes.
  var unit = Unit.seconds
  let contestants: [Contestant]
  let comparisons: [Comparison]

  enum Unit {
    case seconds
    case bytes
  }

  /// One way to do it. Less is better.
  struct Contestant {
    let name: String
    /// How many things one run does, to show what one of them costs.
    var count = 1
    /// Runs once and answers the cost, untimed preparations left out.
    let run: () async throws -> Double
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

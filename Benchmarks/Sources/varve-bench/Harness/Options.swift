/// The options of the command line.
struct Options {
  /// Small sizes and few repetitions: to see that everything runs.
  var isQuick = false
  /// The sizes, in parts of the full ones.
  var scale: Double?
  /// The number of repetitions of each contestant.
  var repetitions: Int?
  /// The path of the results as JSON.
  var jsonPath: String?
  /// Only benchmarks whose name contains this.
  var only: String?
  /// Only this contestant, without comparisons: for a profiler.
  var contestant: String?
  /// Whether this process only measures its own memory, for a parent that asked.
  var isMemoryProbe = false
  /// Whether this process only measures the memory of many open stores.
  var isStoresProbe = false
  /// Whether this process only measures its own memory while a past state is moved.
  var isStepsProbe = false
  /// The step of the interchange probe that this process is for.
  var interchangeStep: [String]?

  /// The import whose memory this process measures.
  var importStep: [String]?
  /// The phase of the peers' work that this process does.
  var peerArguments: [String]?
  /// Whether growth is measured instead of bars.
  var isGrowth = false

  /// The default number of repetitions; fewer are not significant.
  static let defaultRepetitions = 7
  private static let quickRepetitions = 3

  var repetitionCount: Int {
    repetitions ?? (isQuick ? Self.quickRepetitions : Self.defaultRepetitions)
  }

  /// The part of the full sizes: a tenth in a quick run, or as requested.
  var part: Double { scale ?? (isQuick ? 0.1 : 1) }

  /// Returns a size, or the part of it that is measured.
  func scaled(_ size: Int) -> Int { max(1, Int((Double(size) * part).rounded())) }

  /// Returns whether a benchmark was asked for.
  func selects(_ name: String) -> Bool { only.map { name.contains($0) } ?? true }

  static let usage = """
    usage: varve-bench [--quick] [--repetitions N] [--only SUBSTRING] [--json FILE]
                       [--contestant NAME] [--scale PART] [--growth]
           varve-bench --peers PHASE FOLDER [--synchronized] [--quick] [--limit SECONDS]
    """

  init(_ arguments: some Sequence<String>) throws {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--quick": isQuick = true
      case "--memory-probe": isMemoryProbe = true
      case "--stores-probe": isStoresProbe = true
      case "--steps-probe": isStepsProbe = true
      case "--interchange-probe":
        interchangeStep = []
        while let part = rest.next() { interchangeStep?.append(part) }
      case "--import-probe":
        importStep = []
        while let part = rest.next() { importStep?.append(part) }
      case "--growth": isGrowth = true
      case "--peers":
        peerArguments = []
        while let part = rest.next() { peerArguments?.append(part) }
      case "--repetitions":
        guard let count = rest.next().flatMap({ Int($0) }), count > 0 else {
          throw UsageError("--repetitions takes a positive number")
        }
        repetitions = count
      case "--scale":
        guard let part = rest.next().flatMap(Double.init), part > 0, part <= 1 else {
          throw UsageError("--scale takes a part of one, as 0.1")
        }
        scale = part
      case "--only": only = try Self.value(of: argument, &rest)
      case "--contestant": contestant = try Self.value(of: argument, &rest)
      case "--json": jsonPath = try Self.value(of: argument, &rest)
      default: throw UsageError("unknown argument: \(argument)")
      }
    }
  }

  private static func value(
    of option: String,
    _ rest: inout some IteratorProtocol<String>
  ) throws -> String {
    guard let value = rest.next() else { throw UsageError("\(option) takes a value") }
    return value
  }
}

/// A command line that cannot be understood.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ what: String) { description = what + "\n" + Options.usage }
}

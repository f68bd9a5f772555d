import Foundation

/// The growth of costs with entities, versions of a property, and readers beside a writer.
///
/// There are no bars. Unwanted growth shows in the curves.
enum Growth {
  private struct Results: Encodable {
    let machine: String
    let system: String
    let sqlite: String
    let pragmas: String
    /// Threads that wanted a core, before and after.
    let loads: [Double]
    let isQuick: Bool
    let repetitions: Int
    let curves: [GrowthCurve]
  }

  private typealias Part = @Sendable (Context, inout GrowthCurves) async throws -> Void

  private static let parts: [(name: String, measure: Part)] = [
    ("entities", { try await EntityGrowth.measure($0, into: &$1) }),
    ("versions", { try await VersionGrowth.measure($0, into: &$1) }),
    ("readers", { try await ReaderGrowth.measure($0, into: &$1) }),
  ]

  static func run(_ options: Options) async throws {
    let chosen = parts.filter { options.selects($0.name) }
    guard !chosen.isEmpty else {
      throw UsageError(
        "--growth --only takes a part of: " + parts.map(\.name).joined(separator: ", ")
      )
    }
    let workspace = try Workspace()
    defer { workspace.remove() }
    let context = Context(options: options, workspace: workspace)
    var curves = GrowthCurves()
    let load = Machine.load
    Report.printHead(options, workspace)
    Report.show("load         \(load.shown)")
    for (_, measure) in chosen { try await measure(context, &curves) }
    Report.show("load         \(Machine.load.shown)")
    guard let path = options.jsonPath else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let results = Results(
      machine: Machine.description,
      system: Machine.systemDescription,
      sqlite: Machine.sqliteVersion,
      pragmas: Pragmas.description,
      loads: [load, Machine.load],
      isQuick: options.isQuick,
      repetitions: options.repetitionCount,
      curves: curves.curves
    )
    try encoder.encode(results).write(to: URL(fileURLWithPath: path))
  }

  /// Returns the seconds of each of many calls. Each is timed by itself: on a machine that others
  /// use too, a single call is seldom interrupted, and many at a time always are.
  static func seconds<Argument>(
    ofEach arguments: some Sequence<Argument>,
    _ call: (Argument) async throws -> Void
  ) async throws -> [Double] {
    let clock = ContinuousClock()
    var times: [Double] = []
    for argument in arguments {
      let start = clock.now
      try await call(argument)
      times.append((clock.now - start).seconds)
    }
    return times
  }
}

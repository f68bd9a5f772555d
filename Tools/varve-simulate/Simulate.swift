import Foundation
import VarveTestSupport

/// Runs simulations of stores that synchronise despite faults.
@main
enum Simulate {
  static func main() async {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      let isRight =
        if options.playsStores {
          try await SimulateStores.run(options)
        } else if options.playsSpaces {
          try await SimulateSpaces.run(options)
        } else if options.findsFaults {
          try await findFaults(options)
        } else {
          try await run(options)
        }
      exit(isRight ? 0 : 1)
    } catch let problem as Options.Problem {
      FileHandle.standardError.write(Data("\(problem.text)\n\(Options.usage)\n".utf8))
      exit(64)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  /// Runs seeds; returns whether all succeeded.
  private static func run(_ options: Options) async throws -> Bool {
    let start = ContinuousClock.now
    var tally = SimulationTally()
    var failureCount = 0
    var count = 0
    for seed in options.seeds {
      if let limit = options.secondsMax, ContinuousClock.now - start > .seconds(limit) { break }
      count += 1
      let (failure, done) = try await simulate(options.plan(seed: seed))
      tally.add(done)
      guard let failure else { continue }
      failureCount += 1
      say("seed \(seed): \(failure)")
      say("  again: \(options.command(seed: seed))")
      if failureCount == 5 { break }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    say("\(count) seeds × \(options.stepCount) steps, \(failureCount) failed, \(Int(seconds)) s")
    say("\(tally)")
    return failureCount == 0
  }

  /// Plants each fault; returns whether some seed finds every one of them.
  private static func findFaults(_ options: Options) async throws -> Bool {
    var isRight = true
    for fault in PlantedFault.allCases where options.fault == nil || options.fault == fault {
      var found: (seed: UInt64, what: String)?
      for seed in options.seeds where found == nil {
        var plan = options.plan(seed: seed)
        plan.fault = fault
        if let failure = try await simulate(plan).0 { found = (seed, failure) }
      }
      isRight = isRight && found != nil
      let what = found.map { "caught by seed \($0.seed): \($0.what.prefix { $0 != "\n" })" }
      say("\(fault.rawValue): \(what ?? "NOT caught")")
    }
    return isRight
  }

  /// Writes a line at once, even if the output is not a terminal.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  private static func simulate(
    _ plan: SimulationPlan
  ) async throws -> (String?, SimulationTally) {
    let disk = try MixedDisk(plan.fault)
    var plan = plan
    plan.folder = disk.shared
    let simulation = Simulation(plan, disk: disk)
    do {
      try await simulation.run()
      return (nil, simulation.tally)
    } catch {
      for line in simulation.journal { say("  \(line)") }
      return ("\(error)", simulation.tally)
    }
  }
}

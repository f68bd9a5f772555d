import Foundation
import Testing
import VarveTestSupport

@Suite("Simulated stores that synchronise despite faults")
struct SimulationTests {
  /// Two processes, each with seeds of its own: for half a minute, or for minutes in `make soak`.
  @Test(arguments: [0, 100_000]
  )
  func `are equal once all is healed, and lost nothing that was acknowledged`(first: Int)
    async throws
  {
    let run = try await Simulator.run(
      "--first",
      "\(first)",
      "--seeds",
      "1000",
      "--steps",
      "200",
      "--seconds",
      Seeds.isSoak ? "280" : "40"
    )
    #expect(run.status == 0, "\(run.output)")
  }

  @Test func `print their usage for invalid arguments`() async throws {
    #expect(try await Simulator.run("--nonsense").status == 64)
    #expect(try await Simulator.run("--seed", "x").status == 64)
  }

  /// 500117: a commit names where a withheld branch begins, after one that had seen more. 500731: a
  /// clock that was set back goes on between two commits. 500880: an entity is created twice, and
  /// anew in between.
  @Test(arguments: ["500117", "500731", "500880"])
  func `do not find again what single seeds found`(seed: String) async throws {
    let run = try await Simulator.run("--seed", seed, "--steps", "200")
    #expect(run.status == 0, "\(run.output)")
  }

  @Test func `simulated stores that synchronise despite faults play a seed again exactly`()
    async throws
  {
    let arguments = ["--seed", "42", "--steps", "120", "--tell"]
    let (one, two) = (try await Simulator.run(arguments), try await Simulator.run(arguments))
    #expect(one.status == 0)
    let counts = [one, two].map { $0.output.split(separator: "\n").last }
    #expect(counts[0] == counts[1])
  }

  @Test func `simulated stores that synchronise despite faults find a planted fault`() async throws
  {
    let run = try await Simulator.run("--fault", "lostAcknowledgements", "--seeds", "10")
    #expect(run.output.hasPrefix("lostAcknowledgements: caught by seed "))
    #expect(run.status == 0)
  }
}

@Suite("Simulated stores, used by their public interface")
struct StoreSimulationTests {
  @Test func `agree, whatever happened to them and in whatever order`() async throws {
    let run = try await Simulator.run(
      ["--stores", "--seeds", "64", "--steps", "50", "--seconds", "25", "--shrink", "40"]
    )
    #expect(run.status == 0, "\(run.output)")
  }

  @Test(arguments: [
    "lostHistory", "formerLinks", "lostElements", "unsettledDeaths", "leakingPast",
    "silentDeaths", "lostUpdates", "numbersOnly", "impatience", "mistakenLikeness",
  ]
  )
  func `simulated stores, used by their public interface find a planted fault`(name: String)
    async throws
  {
    let run = try await Simulator.run(
      [
        "--stores", "--fault", name, "--seeds", "24", "--steps", "40", "--sessions", "1",
      ]
    )
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.hasPrefix("\(name): caught by seed "))
  }
}

@Suite(
  "Soak: simulated stores, used by their public interface",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct StoreSimulationSoakTests {
  /// Two processes, each with seeds of its own, for minutes; one with more sessions on a file.
  @Test(arguments: [(1_000, 2), (2_000, 3)])
  func `soak: simulated stores, used by their public interface agree in long runs`(
    first: Int,
    sessions: Int
  ) async throws {
    let run = try await Simulator.run(
      [
        "--stores", "--first", "\(first)", "--seeds", "1000", "--steps", "100", "--sessions",
        "\(sessions)", "--seconds", "280", "--shrink", "100",
      ]
    )
    #expect(run.status == 0, "\(run.output)")
  }
}

/// The simulator as a process of its own.
enum Simulator {
  static func run(_ arguments: String...) async throws -> (status: Int32, output: String) {
    try await run(arguments)
  }

  static func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
    let scratch = try Scratch()
    let output = scratch.path("output")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
    let text = try String(contentsOfFile: output, encoding: .utf8)
    return (process.terminationStatus, text)
  }

  /// The executable, which is beside the bundle of the tests.
  private static let executable: URL = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let beside = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return beside.deletingLastPathComponent().appendingPathComponent("varve-simulate").absoluteURL
  }()
}

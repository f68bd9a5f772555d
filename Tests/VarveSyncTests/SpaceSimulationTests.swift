import Foundation
import Testing
import VarveTestSupport

@Suite("Simulated clients that meet at a space despite faults")
struct SpaceSimulationTests {
  @Test func `end equal, and lose nothing that was acknowledged or that one of them has`()
    async throws
  {
    let run = try await Simulator.run(
      "--spaces",
      "--seeds",
      Seeds.isSoak ? "400" : "14",
      "--steps",
      "200"
    )
    #expect(run.status == 0, "\(run.output)")
    // Everything that can happen did.
    let counts = run.output.matches(of: /([a-z][A-Za-z]+Count): ([0-9]+)/)
    #expect(counts.count == 11, "\(run.output)")
    for count in counts { #expect(count.2 != "0", "\(count.1)") }
  }

  @Test func `simulated clients that meet at a space despite faults play a seed again exactly`()
    async throws
  {
    let arguments = ["--spaces", "--seed", "11", "--steps", "150"]
    let (one, two) = (try await Simulator.run(arguments), try await Simulator.run(arguments))
    #expect(one.status == 0)
    let counts = [one, two].map { $0.output.split(separator: "\n").last }
    #expect(counts[0] == counts[1])
  }

  @Test(arguments: SpaceFault.allCases)
  func `simulated clients that meet at a space despite faults find a planted fault`(
    _ fault: SpaceFault
  ) async throws {
    let run = try await Simulator.run(
      ["--spaces", "--fault", fault.rawValue, "--seeds", "64", "--steps", "200"]
    )
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.hasPrefix("\(fault.rawValue): caught by seed "))
  }
}

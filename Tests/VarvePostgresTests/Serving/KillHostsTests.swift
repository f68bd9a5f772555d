#if CommandLine && Server
import Foundation
import Testing
import VarveTestSupport

/// The script of `make kill-hosts`, for a short time.
@Suite("Hosts that are killed at random")
struct KillHostsTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Scripts/kill-hosts.py").path

  @Test(
    .enabled(
      if: PostgresCluster.absence == nil
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"),
      "PostgreSQL or Python is not installed: make setup-tests does it"
    )
  )
  func `lose nothing they acknowledged, and their calls have an order`() async throws {
    let output = try await HostProcess.output(
      of: ["/usr/bin/python3", Self.script, HostProcess.executable, "--seconds", "6"]
    )
    #expect(output.contains("claim done"), "\(output)")
    #expect(
      !output.split(separator: "\n").dropFirst().contains { !$0.hasPrefix("  ") },
      "\(output)"
    )
  }
}
#endif

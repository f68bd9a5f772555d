#if CommandLine && Server
import Foundation
import Testing
import VarveTestSupport

/// The script of `make lost-commits`, for a round of each kind.
@Suite("A home whose standby was promoted without the last commits")
struct LostCommitTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Scripts/lost-commits.py").path

  @Test(
    .enabled(
      if: PostgresCluster.absence == nil
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"),
      "PostgreSQL or Python is not installed: make setup-tests does it"
    )
  )
  func `gets them back from its hosts, or from clients, and all are equal`() async throws {
    let output = try await HostProcess.output(
      of: ["/usr/bin/python3", Self.script, HostProcess.executable, "--rounds", "2"]
    )
    #expect(output.contains("2 promotions"), "\(output)")
    #expect(
      !output.split(separator: "\n").dropFirst().contains { !$0.hasPrefix("  ") },
      "\(output)"
    )
  }
}
#endif

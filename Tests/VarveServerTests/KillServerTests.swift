#if CommandLine && Server
import Foundation
import Testing

/// The script of `make kill-server`, for a short time.
@Suite struct KillServerTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Scripts/kill-server.py").path

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
  func `nothing acknowledged is lost while the server and its clients are killed`() async throws {
    let run = try await ServeCommandTests().shell(
      "/usr/bin/python3 '\(Self.script)' '\(ServeCommandTests.executable)' --seconds 8; echo $?"
    )
    #expect(run.output.hasSuffix("acknowledged\n0\n"), "\(run.output)")
  }
}
#endif

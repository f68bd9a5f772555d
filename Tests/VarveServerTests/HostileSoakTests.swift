#if CommandLine && Server
import Foundation
import Testing
import VarveServer

/// A flood long enough to see a leak.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] != nil))
struct HostileSoakTests {
  @Test func `100,000 malformed requests leave no memory behind`() async throws {
    var limits = ServerLimits()
    limits.idleSeconds = 1
    try await Served.with(limits: limits) { server in
      try await server.create()
      try await HostileTests.flood(server, 2_000)
      let before = Self.residentByteCount()
      try await HostileTests.flood(server, 100_000)
      if let before, let after = Self.residentByteCount() {
        #expect(after - before < 64 << 20, "\((after - before) >> 20) MiB")
      }
      try await server.run(#"{"op":"create","type":"Hat"}"#)
    }
  }

  /// The number of bytes of memory that this process has; nil where the system does not say.
  private static func residentByteCount() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return nil
    }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4_096 }
  }
}
#endif

#if CommandLine && Server
import Foundation
import Synchronization
import Testing

/// A server that is stopped while clients are connected to it.
///
/// That its port refuses connections afterwards is not tested: another test's server may have the
/// port by then.
@Suite struct StopTests {
  @Test func `a server can be cancelled while it accepts connections`() async throws {
    for round in 0..<20 {
      try await Served.with { server in
        let hasEnded = Atomic(false)
        async let connections: Void = Served.aside { [port = server.port] in
          // Few enough that the process does not run out of descriptors, until none is accepted.
          while !hasEnded.load(ordering: .relaxed), (try? RawConnection(port: port)) != nil {
            usleep(200)
          }
        }
        try await Task.sleep(for: .milliseconds(5 + round))
        try await server.end()
        hasEnded.store(true, ordering: .relaxed)
        try await connections
      }
    }
  }

  @Test func `a cancelled server ends the streams of its clients, and then itself`() async throws {
    try await Served.with { server in
      try await server.create()
      let connection = try server.open("/v1/spaces/hats/live")
      #expect(!connection.read().isEmpty)
      try await server.end()
      #expect(try await Served.aside { connection.isClosedAfterReading() })
    }
  }
}
#endif

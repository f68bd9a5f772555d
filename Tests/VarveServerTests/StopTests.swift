import Foundation
import Testing

/// A server that is stopped while clients are connected to it.
@Suite struct StopTests {
  @Test func `a server can be cancelled while it accepts connections`() async throws {
    for round in 0..<20 {
      try await Served.with { server in
        async let connections: Void = Served.aside {
          // Few enough that the process does not run out of descriptors, until none is accepted.
          while (try? RawConnection(port: server.port)) != nil { usleep(200) }
        }
        try await Task.sleep(for: .milliseconds(5 + round))
        await server.stop()
        try await connections
        #expect(throws: (any Error).self) { try RawConnection(port: server.port) }
      }
    }
  }

  @Test func `a cancelled server ends the streams of its clients, and then itself`() async throws {
    try await Served.with { server in
      try await server.create()
      let connection = try server.open("/v1/spaces/hats/live")
      _ = connection.read()
      await server.stop()
      _ = try await Served.aside { connection.readToEnd() }
      #expect(throws: (any Error).self) { try RawConnection(port: server.port) }
    }
  }
}

#if CommandLine && Server
import Testing
import VarveCore
import VarveServer
import VarveTestSupport

/// Spaces whose names differ in case only, created at the same moment by two servers of one folder.
@Suite struct AlikeSpacesTests {
  @Test func `two servers of a folder make at most one of both`() async throws {
    let scratch = try Scratch()
    try await Served.with(scratch: scratch) { one in
      try await Served.with(scratch: scratch) { two in
        for round in 0..<20 {
          async let lower = one.send("PUT", "/v1/spaces/race\(round)", "").status
          async let upper = two.send("PUT", "/v1/spaces/RACE\(round)", "").status
          let statuses = [try await lower, try await upper]
          #expect(statuses.count { $0 == 201 } <= 1, "\(statuses)")
          #expect(statuses.allSatisfy { [201, 409].contains($0) }, "\(statuses)")
          // Where both made way, either can be made now.
          guard !statuses.contains(201) else { continue }
          #expect(try await one.send("PUT", "/v1/spaces/race\(round)", "").status == 201)
        }
      }
    }
  }
}
#endif

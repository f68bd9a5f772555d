#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite struct DemoTests {
  static let releases = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Examples/Countries").path

  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `the demo shows the changes of the releases, and its store is sound`() async throws {
    let store = scratch.path("countries.varve")
    let run = try await Program.varve("demo", Self.releases, "--store", store, "--json")
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    let result = try run.result
    let releases = try result["releases"].elements
    #expect(releases.count == 7)
    #expect(try releases[0]["countries"]["created"] == 249)
    #expect(try releases[0]["subdivisions"]["created"] == 4_854)
    #expect(try releases[1]["subdivisions"]["created"] == 31)
    #expect(try releases[1]["subdivisions"]["ended"] == 49)
    #expect(try result["name"].elements.map { try $0["value"] } == ["Swaziland", "Eswatini"])
    #expect(try result["name"][1]["time"] == "2019-08-18T00:00:00.000Z")
    #expect(
      try Set(result["renamed"].elements) == ["Country/MK", "Country/SZ", "Country/TR"]
    )
    #expect(try result["subdivisionTypes"]["Region"] == ["then": 410, "now": 474])
    #expect(try result["erased"]["died"] == result["erased"]["restored"])
    #expect(try result["check"]["clean"] == true)
    let past = try await Program.varve(
      "get",
      store,
      "Country/SZ",
      "name",
      "--as-of",
      "2018-12-31"
    )
    #expect(past.output == "Swaziland\n")
    #expect(try await Program.varve("check", store).status == 0)
  }

  @Test func `the demo does not overwrite an existing file`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("demo", Self.releases, "--store", store)
    #expect(run.status == 1)
    #expect(run.errors.contains("invalidArgument"))
  }

  @Test func `a folder without releases is an error`() async throws {
    let run = try await Program.varve("demo", scratch.path("none"))
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("varve: error: notFound: "))
  }
}
#endif

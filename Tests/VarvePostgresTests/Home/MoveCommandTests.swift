import Testing
import VarveCore
import VarvePostgres
import VarveStore
import VarveTestSupport

@Suite(
  "varve home move",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct MoveCommandTests {
  @Test("makes no space for a file that is not there, and no file for a space that is not there")
  func absent() async throws {
    let (url, name, scratch) = (
      try await PostgresCluster.url(), "\(SpaceID.random())", try Scratch()
    )
    let file = scratch.path("hats.varve")
    let refused = try await HostProcess.varve("home", "move", file, url, "--space", name)
    #expect(refused.contains("notFound"), "\(refused)")
    let home = try await PostgresHome(url)
    #expect(try await home.spaceNames().contains(name) == false)
    let refusedBack = try await HostProcess.varve("home", "move", url, file, "--space", name)
    #expect(refusedBack.contains("notFound"), "\(refusedBack)")
    #expect(try await home.spaceNames().contains(name) == false)
    let source = try await Store.open(.file(file))
    try await source.create("Hat", id: "hat")
    try await source.close()
    let moved = try await HostProcess.varve("home", "move", file, url, "--space", name)
    #expect(moved.contains("1 commit"), "\(moved)")
    let back = scratch.path("back.varve")
    let returned = try await HostProcess.varve("home", "move", url, back, "--space", name)
    #expect(returned.contains("1 commit"), "\(returned)")
    await home.close()
  }
}

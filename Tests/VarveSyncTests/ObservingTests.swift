import Testing
import VarveCore
import VarveStore
import VarveSync

@Suite("An observer of a store that synchronises")
struct ObservingTests {
  @Test func `an observer of a store that synchronises is notified of received commits`()
    async throws
  {
    let (here, there) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
    try await there.create("Hat", id: "hat", ["color": "red"])
    let sequence = try await here.changes()
    var changes = sequence.makeAsyncIterator()
    try await here.sync(with: there)
    let set = try await changes.next()
    #expect(set?.added == ["hat"])
    #expect(set?.origin == .merge)
    try await here.close()
    try await there.close()
  }
}

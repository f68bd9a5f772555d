import Testing
import VarveCore
import VarveStore

@Suite("The data of an error")
struct ErrorDataTests {
  @Test func `an error names the entity that is missing, erased, duplicated, mistyped or unowned`()
    async throws
  {
    let store = try await makeStore(.memory)
    try await store.create("Hat", id: "hat", ["size": 1])
    try await store.create("Hat", id: "gone")
    try await store.erase("gone")
    let errors = [
      ("none", await failure { try await store.set("none", "size", 1) }),
      ("gone", await failure { try await store.set("gone", "size", 1) }),
      ("hat", await failure { try await store.create("Hat", id: "hat") }),
    ]
    for (id, error) in errors {
      #expect(error?.entity?.text == id)
      #expect(error?.place?.contains(id) == true)
    }
  }

  @Test func `the data of an error is kept when the error gets a more precise place`() {
    let error = VarveError.kindMismatch(of: "a", expected: "Circle", actual: "Square")
    let precise = error.located(at: "line 3, column 1", line: 3)
    #expect(precise.entity == "a" && precise.mismatch == error.mismatch && precise.line == 3)
    #expect(precise.place == "line 3, column 1" && precise.located(at: "x").line == 3)
    #expect(precise != error && precise.located(at: error.place) != error)
    #expect(error.located(at: error.place) == error)
  }

  @Test func `the data of an error costs one word wherever an error is passed`() {
    #expect(MemoryLayout<VarveError>.size == MemoryLayout<Int>.size)
  }
}

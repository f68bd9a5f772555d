import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Progress and cancellation of imports")
struct ImportProgressTests {
  private let document: JSON = [["number": 1], ["number": 2], ["number": 3]]
  private var options: ImportOptions {
    var options = ImportOptions()
    options.roots = [.init(as: "Author")]
    return options
  }

  @Test func `one step for the beginning, one for each top-level object, one for the commit`()
    async throws
  {
    let store = try await makeStore()
    var steps: [[Int]] = []
    try await store.import(document, by: Shop.mappings, options) {
      steps.append([$0.completedCount, $0.totalCount ?? -1])
    }
    #expect(steps == [[1, 5], [2, 5], [3, 5], [4, 5], [5, 5]])
  }

  @Test func `Foundation's Progress is moved, and can cancel without a trace`() async throws {
    let store = try await makeStore()
    let progress = Progress(totalUnitCount: 0)
    await #expect(throws: VarveError(.cancelled, "the import was cancelled")) {
      try await store.import(document, by: Shop.mappings, options, reporting: progress) {
        if $0.completedCount == 2 { progress.cancel() }
      }
    }
    #expect(progress.completedUnitCount == 2)
    #expect(try await store.allIDs().isEmpty)
    #expect(try await store.commitCount == 0)
    let second = Progress(totalUnitCount: 0)
    try await store.import(document, by: Shop.mappings, options, reporting: second)
    #expect(second.isFinished && second.totalUnitCount == 5)
  }

  @Test func `an error of the closure ends the import without a trace`() async throws {
    struct Enough: Error {}
    let store = try await makeStore()
    let changes = try await store.changes()
    await #expect(throws: Enough.self) {
      try await store.import(document, by: Shop.mappings, options) {
        if $0.completedCount == 4 { throw Enough() }
      }
    }
    #expect(try await store.allIDs().isEmpty)
    #expect(changes.poll() == nil)
  }

  @Test func `a cancelled task ends the import without a trace`() async throws {
    let store = try await makeStore()
    let task = Task { [document, options] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.import(document, by: Shop.mappings, options)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await store.allIDs().isEmpty)
  }
}

extension ImportProgressTests {
  @Test func `an import in a task of its own is a sequence of its steps`() async throws {
    let store = try await makeStore()
    var options = ImportOptions()
    options.roots = [.init(as: "Author")]
    let run = store.importing(DocumentSource(text: "[1, 2]"), by: Shop.mappings, options)
    var steps: [Int] = []
    for await step in run { steps.append(step.completedCount) }
    #expect(steps == [1, 2, 3, 4])
    #expect(try await run.report.stubCount == 2)
    let endless = DocumentSource { Array(" ".utf8) }
    let cancelled = store.importing(endless, by: Shop.mappings, options)
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { _ = try await cancelled.report }
    #expect(try await store.count(Query("Author")) == 2)
  }
}

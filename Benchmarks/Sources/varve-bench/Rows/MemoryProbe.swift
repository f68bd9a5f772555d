import VarveCore
import VarveStore

/// The memory while millions of entities are written and read as streams, in a process of its own:
/// the peak of this one has no meaning.
enum MemoryProbe {
  static let name = "memory"
  private static let transactionSize = 10_000
  /// The counts at which peaks are taken. Caches are full by the second; if memory does not grow,
  /// the third is equal.
  private static let counts = [100_000, 1_000_000, 3_000_000]

  /// Starts the process and prints its results.
  static func report(_ options: Options) throws {
    Report.show("\n" + name)
    try ProbeProcess.show(["--memory-probe"] + (options.isQuick ? ["--quick"] : []))
  }

  /// Measures this process.
  static func run(_ options: Options) async throws {
    let workspace = try Workspace()
    defer { workspace.remove() }
    let counts = counts.map(options.scaled)
    let store = try await VarveItems(workspace.freshPath("varve"))
    show("opened", since: 0)
    let opened = Machine.peakMemory
    var generator = ItemGenerator()
    var written = 0
    for count in counts {
      while written < count {
        let items = (0..<min(transactionSize, count - written)).map { _ in generator.next() }
        try await store.insert(items)
        written += items.count
      }
      show("\(written) entities written", since: opened)
    }
    for count in counts.dropFirst() {
      var read = 0
      for try await _ in store.store.stream(Query(VarveItems.type).limit(count)) { read += 1 }
      show("\(read) entities streamed back", since: opened)
    }
    try await store.store.close()
  }

  private static func show(_ what: String, since start: Int) {
    let peak = Machine.peakMemory
    let growth = start == 0 ? "" : ", \((peak - start) >> 20) MiB more than opened"
    Report.show("\(what): peak \(peak >> 20) MiB\(growth)")
  }
}

import VarveCore
import VarveStore

/// Memory while millions of entities stream in and out: measured in a process of its own, because
/// the peak of this one says nothing.
enum MemoryProbe {
  static let name = "memory"
  private static let transactionSize = 10_000
  /// Where peaks are taken. Caches are full by the second; if memory is flat, the third says the
  /// same.
  private static let counts = [100_000, 1_000_000, 3_000_000]

  /// Starts the process and shows what it found.
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

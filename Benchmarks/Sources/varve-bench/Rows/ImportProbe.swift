import CParse
import Foundation
import VarveJSON
import VarveStore

/// The memory of imports, each in a process of its own: the peak of several in one process has no
/// meaning.
enum ImportProbe {
  static let name = "import memory"
  private static let timesOver = 10

  /// Makes documents, one ten times as long as the other, and starts a process for each import.
  static func report(_ options: Options) throws {
    let workspace = try Workspace()
    defer { workspace.remove() }
    Report.show("\n\(name)")
    let count = options.scaled(JSONImport.itemCount)
    for count in [count / timesOver, count] {
      let document = workspace.freshPath("json")
      _ = try ItemDocument(count, to: document, padding: parse_padding())
      let store = workspace.freshPath("varve")
      for step in ["import", "again"] {
        try ProbeProcess.show(["--import-probe", step, store, document])
      }
      workspace.discard(store)
    }
  }

  /// Measures one import in this process. The arguments are its name, the store and the document.
  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 3 else {
      throw UsageError("--import-probe is for the benchmark itself")
    }
    let store = try await Store.open(arguments[1])
    let time = try await seconds { try await JSONImport.take(arguments[2], into: store) }
    try await store.close()
    let size = try FileManager.default.attributesOfItem(atPath: arguments[2])[.size] as? Int ?? 0
    let megabytes = Double(size) / 1e6
    Report.show(
      "\(arguments[0]): \(Int(megabytes)) MB, \((megabytes / time).shown) MB/s, "
        + "peak \(Machine.peakMemory >> 20) MiB"
    )
  }
}

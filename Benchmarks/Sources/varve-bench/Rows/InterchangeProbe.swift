import Foundation
import VarveJSON
import VarveStore

/// The speed and the memory of writing and loading documents, each step in a process of its own:
/// the peak of several in one process has no meaning.
enum InterchangeProbe {
  static let name = "interchange"
  /// Half a gigabyte of compact text, about.
  private static let entityCount = 1_500_000
  private static let transactionSize = 10_000

  /// Makes a store, and starts a process for each step.
  static func report(_ options: Options) async throws {
    let workspace = try Workspace()
    defer { workspace.remove() }
    let path = workspace.freshPath("varve")
    let count = options.scaled(entityCount)
    let store = try await VarveItems(path)
    var generator = ItemGenerator()
    for start in stride(from: 0, to: count, by: transactionSize) {
      let size = min(transactionSize, count - start)
      try await store.insert((0..<size).map { _ in generator.next() })
    }
    try await store.store.close()
    Report.show("\n\(name), \(count) entities")
    for form in InterchangeForm.allCases {
      let document = workspace.freshPath("json")
      let copy = workspace.freshPath("varve")
      try ProbeProcess.show(["--interchange-probe", "export", form.rawValue, path, document])
      try ProbeProcess.show(["--interchange-probe", "load", form.rawValue, copy, document])
      workspace.discard(copy)
      workspace.discard(document)
    }
  }

  /// Measures one step in this process: what to do, the form, the store, the document.
  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 4, let form = InterchangeForm(rawValue: arguments[1]) else {
      throw UsageError("--interchange-probe is for the benchmark itself")
    }
    let store = try await Store.open(arguments[2])
    let document = arguments[3]
    let time = try await seconds {
      guard arguments[0] == "export" else {
        _ = try await store.load(DocumentSource(file: document))
        return
      }
      _ = FileManager.default.createFile(atPath: document, contents: nil)
      guard let file = FileHandle(forWritingAtPath: document) else { return }
      _ = try await store.export(form) { try file.write(contentsOf: Data($0)) }
      try file.close()
    }
    try await store.close()
    let size = try FileManager.default.attributesOfItem(atPath: document)[.size] as? Int ?? 0
    let megabytes = Double(size) / 1e6
    Report.show(
      "\(arguments[0]) \(form.rawValue): \(Int(megabytes)) MB, \((megabytes / time).shown) MB/s, "
        + "peak \(Machine.peakMemory >> 20) MiB"
    )
  }
}

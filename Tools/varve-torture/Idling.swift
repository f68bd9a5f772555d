import Foundation
import VarveCore
import VarveStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps live results of a store, and counts how often the process wakes up while nothing
/// happens.
@MainActor
enum Idling {
  private struct Hat: Persistable {
    static let schema = Schema<Hat>("Hat") { SchemaField("size", \.size) }
    var id = Identifier<Hat>()
    var size = 0

    init(row: EntityRow) throws {
      id = try row.id()
      size = try row.read(0, default: 0)
    }

    func write(to values: inout PropertyValues) throws { try values.append(size) }
  }

  /// Prints the number of times that a thread of the process began to wait, in some seconds in
  /// which nothing happens; then, for each change of another process, the number of hats.
  static func run(_ path: String, seconds: Int, count: Int) async throws {
    let store = try await Store.open(path)
    // The conditions differ, so no list shares another's query; the hats that they find do not.
    let lists = (0..<count).map { size in LiveResults(Hat.where { $0.size > -1 - size }, in: store)
    }
    for list in lists { try await list.settle() }
    try await Task.sleep(for: .seconds(2))
    let before = waitCount
    try await Task.sleep(for: .seconds(seconds))
    Report.line("idle \(waitCount - before)")
    var count = lists[0].models.count
    while true {
      try await Task.sleep(for: .milliseconds(2))
      guard lists.allSatisfy({ $0.models.count != count }) else { continue }
      count = lists[0].models.count
      Report.line("hats \(count)")
    }
  }

  /// The number of times that any thread of the process gave up its processor of its own accord.
  private static var waitCount: Int {
    var usage = rusage()
    // RUSAGE_SELF, whose type differs between systems.
    getrusage(0, &usage)
    return usage.ru_nvcsw
  }
}

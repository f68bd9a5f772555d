import Foundation
import VarveCore
import VarveStore

/// Counts the system's calls that write, for transactions of one entity each.
enum WriteCalls {
  /// Prints the number of calls for a number of transactions, where the system counts them.
  static func run(_ path: String, count: Int) async throws {
    let store = try await Store.open(path)
    try await write(-1, to: store)
    let before = calls()
    for number in 0..<count { try await write(number, to: store) }
    if let before, let after = calls() { Report.line("calls \(after - before)") }
    try await store.close()
  }

  private static func write(_ number: Int, to store: Store) async throws {
    try await store.create("Hat", id: EntityID("hat \(number)"), ["size": .int(Int64(number))])
  }

  private static func calls() -> Int? {
    let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix("syscw: ") }
    return line.flatMap { Int($0.dropFirst("syscw: ".count)) }
  }
}

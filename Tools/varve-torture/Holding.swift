import Foundation
import VarveCore
import VarveStore

/// Sits in a write.
enum Holding {
  /// Holds the write lock of a store for a given time.
  static func run(_ path: String, milliseconds: Int) async throws {
    let store = try await Store.open(path)
    try await store.write { tx in
      try await tx.create("Held", id: "held")
      Report.line("holding")
      try await Task.sleep(for: .milliseconds(milliseconds))
    }
    try await store.close()
  }
}

import Foundation
import VarveCore
import VarveStore

/// Writes rising numbers to one entity.
enum Touching {
  static func run(_ path: String, id: String, count: Int) async throws {
    let store = try await Store.open(path)
    let id = try EntityID(id)
    for number in 1...count {
      try await Task.sleep(for: .milliseconds(20))
      try await store.set(id, "number", .int(Int64(number)))
    }
    try await store.close()
  }
}

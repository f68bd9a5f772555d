package import Foundation
package import VarveCore
package import VarveTestSupport

/// What a simulation of stores is about: few names, so that stores clash.
package struct StoreCast: Sendable {
  package let ids: [EntityID]
  package let stalls: [EntityID] = ["stall 0", "stall 1"]
  package let caps: [EntityID] = ["cap 0", "cap 1", "cap 2"]
  package let types: [EntityType]
  package let keys: [PropertyKey]
  /// To-many properties. What is a list to one writer is a set to another.
  package let collections: [PropertyKey] = ["list", "set"]
  /// Names of relations.
  package let names: [PropertyKey] = ["", "part"]
  /// Instants that writes are dated at: few, so that they meet.
  package let dates: [Date]
  /// What makes queries.
  package let generator: HistoryGenerator

  package init(seed: UInt64, idCount: Int = 5) {
    generator = HistoryGenerator(seed: seed, idCount: idCount)
    ids = generator.ids
    types = generator.types
    keys = Array(generator.keys.prefix(4))
    let start = Double(TestClock().now) / 1_000
    dates = [-86_400, -60, 0, 1, 3_600].map { Date(timeIntervalSince1970: start + $0) }
  }

  /// All that can be asked for by name.
  package var all: [EntityID] { ids + stalls + caps }
}

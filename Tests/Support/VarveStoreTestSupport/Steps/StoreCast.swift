package import Foundation
package import VarveCore
package import VarveTestSupport

/// The subjects of a simulation of stores: few names, so that writes clash.
package struct StoreCast: Sendable {
  package let ids: [EntityID]
  package let stalls: [EntityID] = ["stall 0", "stall 1"]
  package let caps: [EntityID] = ["cap 0", "cap 1", "cap 2"]
  package let types: [EntityType]
  package let keys: [PropertyKey]
  /// The to-many properties. One writer may treat a property as a list and another as a set.
  package let collections: [PropertyKey] = ["list", "set"]
  /// The names of relations.
  package let names: [PropertyKey] = ["", "part"]
  /// The dates of writes: few, so that they coincide.
  package let dates: [Date]
  /// The generator of queries.
  package let generator: HistoryGenerator

  /// The identifying values in imported documents.
  package static let importedNames = ["a", "b", "c"]

  /// The identifiers that imports derive where others have the first ones.
  private let nextImported: [EntityID]

  /// Creates a cast.
  ///
  /// - Parameter imports: whether the identifiers include those that imports derive.
  package init(seed: UInt64, idCount: Int = 5, imports: Bool = false) {
    generator = HistoryGenerator(seed: seed, idCount: idCount)
    ids =
      imports
      ? generator.ids.prefix(2) + Self.importedNames.map { EntityID(unchecked: "Hat/\($0)") }
      : generator.ids
    nextImported =
      imports ? Self.importedNames.map { EntityID(unchecked: "Hat~2/\($0)") } : []
    types = generator.types
    keys = Array(generator.keys.prefix(4))
    let start = Double(TestClock().now) / 1_000
    dates = [-86_400, -60, 0, 1, 3_600].map { Date(timeIntervalSince1970: start + $0) }
  }

  /// All entities that can be read by identifier.
  package var all: [EntityID] { ids + stalls + caps + nextImported }
}

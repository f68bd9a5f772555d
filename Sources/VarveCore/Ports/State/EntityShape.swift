/// The keys that entities read together may have, with the default semantic type of each.
package final class EntityShape: Sendable {
  package let keys: [PropertyKey]
  package let semanticTypes: [String]
  private let indices: [PropertyKey: Int]

  package init(keys: [PropertyKey], semanticTypes: [String]) {
    self.keys = keys
    self.semanticTypes = semanticTypes
    indices = Dictionary(zip(keys, keys.indices), uniquingKeysWith: { first, _ in first })
  }

  package func index(of key: PropertyKey) -> Int? { indices[key] }

  /// A shape without keys.
  package static let empty = EntityShape(keys: [], semanticTypes: [])
}

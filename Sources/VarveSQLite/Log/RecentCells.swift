import VarveCore

/// Recently read cells, each found in its block without decoding the others. Histories that are read
/// again need no block then, whatever number of blocks they are in.
struct RecentCells {
  /// Where a cell is that was written after its entity's creation.
  private struct Place: Hashable {
    let block: Int64
    let ordinal: Int
  }

  /// Where the values of a property are in its entity's creation.
  private struct Birthplace: Hashable {
    let block: Int64
    let id: EntityID
    let key: PropertyKey
  }

  private var contents: [Place: Cell.Content] = [:]
  private var creations: [Birthplace: [Cell]] = [:]
  private static let capacity = 1_024

  subscript(block: Int64, ordinal: Int) -> Cell.Content? {
    contents[Place(block: block, ordinal: ordinal)]
  }

  subscript(block: Int64, id: EntityID, key: PropertyKey) -> [Cell]? {
    creations[Birthplace(block: block, id: id, key: key)]
  }

  mutating func add(_ content: Cell.Content, _ block: Int64, ordinal: Int) {
    guard content.isSmall else { return }
    if contents.count >= Self.capacity { contents.removeAll(keepingCapacity: true) }
    contents[Place(block: block, ordinal: ordinal)] = content
  }

  mutating func add(_ cells: [Cell], _ block: Int64, of id: EntityID, key: PropertyKey) {
    guard cells.allSatisfy(\.content.isSmall) else { return }
    if creations.count >= Self.capacity { creations.removeAll(keepingCapacity: true) }
    creations[Birthplace(block: block, id: id, key: key)] = cells
  }

  mutating func removeAll() {
    contents.removeAll()
    creations.removeAll()
  }
}

extension Cell.Content {
  /// Whether the cell takes so little memory that a thousand of them do not matter.
  fileprivate var isSmall: Bool {
    guard case .value(_, let value, _) = self else { return true }
    return switch value {
    case .bool, .int, .double, .date, .reference: true
    case .string(let text): text.utf8.count <= 256
    case .data(let data): data.count <= 256
    case .array, .dictionary: false
    }
  }
}

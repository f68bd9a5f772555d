import VarveCore

/// A commit's place and summary.
struct CommitInfo: Sendable {
  var n: Int64
  var chainID: Int64
  var summary: CommitSummary
  var order: CommitOrder
}

/// Recently read commits by number.
struct RecentCommits {
  private var infos: [Int64: CommitInfo] = [:]
  private static let capacity = 4_096

  subscript(n: Int64) -> CommitInfo? { infos[n] }

  var all: some Sequence<CommitInfo> { infos.values }

  mutating func add(_ info: CommitInfo) {
    if infos.count >= Self.capacity { infos.removeAll(keepingCapacity: true) }
    infos[info.n] = info
  }

  mutating func removeAll() { infos.removeAll() }
}

/// A decoded block, with its cells by entity.
final class DecodedBlock {
  let content: BlockContent
  private lazy var tables: [[EntityID: Int]] = content.sections.map { section in
    guard case .creations(let table) = section else { return [:] }
    return Dictionary(zip(table.ids, table.ids.indices), uniquingKeysWith: { first, _ in first })
  }

  init(_ content: BlockContent) { self.content = content }

  /// Returns the cells of an entity's creation in this block; none if no table in it created the
  /// entity.
  func creation(of id: EntityID) -> [Cell] {
    for (index, section) in content.sections.enumerated() {
      switch section {
      case .creations(let table):
        guard let row = tables[index][id] else { continue }
        var cells: [Cell] = []
        table.appendCells(ofRow: row, to: &cells)
        return cells
      case .cells(let cells):
        if let cell = cells.first(where: { $0.entity == id && $0.content.isCreation }) {
          return [cell]
        }
      }
    }
    return []
  }

  /// Returns the cell of an entity at an ordinal. The cells of a creation share one ordinal, so the
  /// key distinguishes them.
  func cell(of id: EntityID, ordinal: Int, key: PropertyKey?) -> Cell? {
    for section in content.sections {
      switch section {
      case .cells(let cells):
        let index = cells.partitioningIndex { $0.ordinal >= ordinal }
        if index < cells.count, cells[index].ordinal == ordinal { return cells[index] }
      case .creations(let table):
        let row = table.ordinals.partitioningIndex { $0 >= ordinal }
        guard row < table.ordinals.count, table.ordinals[row] == ordinal else { continue }
        var cells: [Cell] = []
        table.appendCells(ofRow: row, to: &cells)
        return cells.first { $0.content.key == key }
      }
    }
    return nil
  }
}

extension Cell.Content {
  var isCreation: Bool {
    if case .life(.created) = self { true } else { false }
  }
}

extension Array {
  /// Returns the first index whose element satisfies a condition that holds from some index on.
  func partitioningIndex(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Recently decoded blocks by number.
struct RecentBlocks {
  private var blocks: [Int64: DecodedBlock] = [:]
  /// Blocks from which one cell was read recently; for a second cell, decoding the block pays off.
  private var skimmed: Set<Int64> = []
  private static let capacity = 64

  subscript(b: Int64) -> DecodedBlock? { blocks[b] }

  mutating func add(_ block: DecodedBlock, _ b: Int64) {
    if blocks.count >= Self.capacity { blocks.removeAll(keepingCapacity: true) }
    blocks[b] = block
  }

  /// Removes a block that is now stored in another form.
  mutating func remove(_ b: Int64) {
    blocks[b] = nil
    skimmed.remove(b)
  }

  /// Returns whether a block was not read recently, as far as remembered.
  mutating func isFirstLook(at b: Int64) -> Bool {
    guard blocks[b] == nil else { return false }
    if skimmed.count >= Self.capacity { skimmed.removeAll(keepingCapacity: true) }
    return skimmed.insert(b).inserted
  }

  mutating func removeAll() {
    blocks.removeAll()
    skimmed.removeAll()
  }
}

/// Collects the cells of a commit and reports when there are enough for a block.
///
/// Creations of one shape share a table; all other cells are kept individually. Ordinals are
/// assigned in the order of the calls, whatever table a cell is placed in.
package struct BlockBuilder: Sendable {
  private var tables: [Creations] = []
  private var cells: [Cell] = []
  private var redactions: [Redaction] = []
  /// The approximate number of bytes collected.
  package private(set) var byteCount = 0
  private var updateByteCount = 0
  private var hasLargeValue = false

  /// The ordinal of the next cell.
  package private(set) var nextOrdinal = 0
  /// The latest time of a cell that has its own.
  package private(set) var latestTime: HybridTime?

  /// Whether this block or an earlier one contains a redaction.
  package private(set) var hasRedacted = false

  /// The maximum number of open tables; a block with more shapes begins new ones.
  private static let openTableCount = 8

  package init() {}

  package var isEmpty: Bool { tables.isEmpty && cells.isEmpty && redactions.isEmpty }

  /// Whether the block has reached its target size.
  package var isFull: Bool {
    byteCount >= BlockContent.targetByteCount
      || updateByteCount >= BlockContent.updateTargetByteCount || hasLargeValue
  }

  /// Assigns the next ordinal.
  private mutating func takeOrdinal(_ time: HybridTime?) -> Int {
    if let time { latestTime = max(latestTime ?? time, time) }
    defer { nextOrdinal += 1 }
    return nextOrdinal
  }

  /// Adds one row of a creation and returns its ordinal.
  package mutating func create(row: Int, of source: Creations) -> Int {
    create(rows: row..<row + 1, of: source)
  }

  /// Adds rows of a creation and returns the ordinal of the first; the others follow it.
  package mutating func create(rows: Range<Int>, of source: Creations) -> Int {
    if let time = source.time { latestTime = max(latestTime ?? time, time) }
    let first = nextOrdinal
    nextOrdinal += rows.count
    if tables.isEmpty, rows.count == source.ids.count {
      adopt(source, ordinals: first..<nextOrdinal)
      return first
    }
    let index = openTable(for: source)
    let width = source.columns.count
    let places = rows.lowerBound * width..<rows.upperBound * width
    tables[index].ids.append(contentsOf: source.ids[rows])
    tables[index].ordinals.append(contentsOf: first..<nextOrdinal)
    tables[index].values.append(places, of: source.values)
    byteCount += 17 * rows.count + source.values.byteCountEstimate(of: places)
    return first
  }

  /// Returns whether rows of a creation, if added now in order, are certain to fit in this block.
  package func holds(_ rows: Range<Int>, of source: Creations) -> Bool {
    let width = source.columns.count
    var count = byteCount + Self.headByteCount(of: source)
    guard updateByteCount < BlockContent.updateTargetByteCount, !hasLargeValue else { return false }
    let before = rows.dropLast()
    count += 17 * before.count
    count += source.values.byteCountEstimate(
      of: before.lowerBound * width..<before.upperBound * width
    )
    return count < BlockContent.targetByteCount
  }

  /// Begins the first table with all rows of a creation, without copying them.
  private mutating func adopt(_ source: Creations, ordinals: Range<Int>) {
    tables.append(source)
    tables[0].ordinals = Array(ordinals)
    byteCount += Self.headByteCount(of: source) + 17 * source.ids.count
    byteCount += source.values.byteCountEstimate(of: source.values.indices)
  }

  private static func headByteCount(of source: Creations) -> Int {
    source.columns.reduce(source.type.text.utf8.count) {
      $0 + $1.key.text.utf8.count + $1.semanticType.utf8.count
    }
  }

  private mutating func openTable(for source: Creations) -> Int {
    for index in tables.indices.suffix(Self.openTableCount).reversed()
    where tables[index].accepts(type: source.type, columns: source.columns, time: source.time) {
      // Arrays that share a buffer compare in constant time, so only the first row of a source
      // compares columns.
      tables[index].columns = source.columns
      return index
    }
    var table = Creations(type: source.type, columns: source.columns, time: source.time)
    table.reserveCapacity(like: source, byteCount: BlockContent.targetByteCount - byteCount)
    tables.append(table)
    byteCount += Self.headByteCount(of: source)
    return tables.count - 1
  }

  /// Adds one cell.
  package mutating func add(
    _ content: Cell.Content,
    entity: EntityID,
    time: HybridTime?
  ) -> Int {
    let ordinal = takeOrdinal(time)
    cells.append(Cell(ordinal: ordinal, entity: entity, time: time, content: content))
    var size = 32 + content.nameByteCount / 4
    if case .value(_, let value, _) = content {
      let valueSize = value.byteCountEstimate() ?? 0
      hasLargeValue = valueSize > BlockContent.chunkByteCount
      size += valueSize
    }
    byteCount += size
    updateByteCount += size
    return ordinal
  }

  /// Adds a redaction and returns its index among the redactions of the block.
  package mutating func add(_ redaction: Redaction) -> Int {
    redactions.append(redaction)
    byteCount += redaction.byteCount
    hasRedacted = true
    return redactions.count - 1
  }

  /// Returns whether a value must be a cell of its own instead of an element of a table.
  package static func isLarge(_ value: Value) -> Bool {
    value.byteCountEstimate() ?? 0 > BlockContent.chunkByteCount / 2
  }

  /// The content collected so far.
  package var content: BlockContent {
    var sections = tables.map(Section.creations)
    if !cells.isEmpty { sections.append(.cells(cells)) }
    return BlockContent(sections: sections, redactions: redactions)
  }

  /// Returns the collected content, and starts a new block.
  package mutating func take() -> BlockContent {
    let content = content
    tables = []
    cells = []
    redactions = []
    byteCount = 0
    updateByteCount = 0
    hasLargeValue = false
    return content
  }
}

extension Cell.Content {
  /// The bytes of the cell's names, most of which a block writes once for many cells, and of the
  /// adds it removes.
  fileprivate var nameByteCount: Int {
    switch self {
    case .life(.created(let type, _)), .life(.recreated(let type, _)): type.text.utf8.count
    case .life: 0
    case .value(let key, _, let semanticType): key.text.utf8.count + semanticType.utf8.count
    case .removal(let key), .collection(let key): key.text.utf8.count
    case .add(let relation, _, _, _): relation.name.text.utf8.count
    case .remove(let relation, _, let adds): relation.name.text.utf8.count + adds.count * 16
    }
  }
}

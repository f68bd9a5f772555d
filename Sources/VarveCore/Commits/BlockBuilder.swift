/// Collects the cells of a commit and says when enough for a block have come together.
///
/// Creations of one shape share a table; everything else stands cell by cell. Ordinals are handed
/// out in the order of the calls, whatever table a cell ends up in.
package struct BlockBuilder: Sendable {
  private var tables: [Creations] = []
  private var cells: [Cell] = []
  private var redactions: [Redaction] = []
  /// About how many bytes have come together.
  package private(set) var byteCount = 0
  private var updateByteCount = 0
  private var hasLargeValue = false

  /// The ordinal the next cell gets.
  package private(set) var nextOrdinal = 0
  /// The latest time of a cell that names its own.
  package private(set) var latestTime: HybridTime?

  /// Whether anything was to be forgotten, in this block or one before.
  package private(set) var hasRedacted = false

  /// Tables that may be open at once; more shapes in a block start over.
  private static let openTableCount = 8

  package init() {}

  package var isEmpty: Bool { tables.isEmpty && cells.isEmpty && redactions.isEmpty }

  /// Whether the block has its size.
  package var isFull: Bool {
    byteCount >= BlockContent.targetByteCount
      || updateByteCount >= BlockContent.updateTargetByteCount || hasLargeValue
  }

  /// The ordinal the next cell gets, taken.
  private mutating func takeOrdinal(_ time: HybridTime?) -> Int {
    if let time { latestTime = max(latestTime ?? time, time) }
    defer { nextOrdinal += 1 }
    return nextOrdinal
  }

  /// Adds one row of a creation; the values stand at `offset` in the table given.
  package mutating func create(row: Int, of source: Creations) -> Int {
    let ordinal = takeOrdinal(source.time)
    let index = openTable(for: source)
    let width = source.columns.count
    tables[index].ids.append(source.ids[row])
    tables[index].ordinals.append(ordinal)
    byteCount += 17
    let places = row * width..<(row + 1) * width
    tables[index].values.append(places, of: source.values)
    for place in places { byteCount += source.values.byteCountEstimate(at: place) ?? 0 }
    return ordinal
  }

  /// Whether rows of a creation, added now one after another, surely stand in this block all of them.
  package func holds(_ rows: Range<Int>, of source: Creations) -> Bool {
    let width = source.columns.count
    var count = byteCount + Self.headByteCount(of: source)
    guard updateByteCount < BlockContent.updateTargetByteCount, !hasLargeValue else { return false }
    for row in rows.dropLast() {
      count += 17
      for place in row * width..<(row + 1) * width {
        count += source.values.byteCountEstimate(at: place) ?? 0
      }
    }
    return count < BlockContent.targetByteCount
  }

  private static func headByteCount(of source: Creations) -> Int {
    source.columns.reduce(source.type.text.utf8.count) {
      $0 + $1.key.text.utf8.count + $1.semanticType.utf8.count
    }
  }

  private mutating func openTable(for source: Creations) -> Int {
    for index in tables.indices.suffix(Self.openTableCount).reversed()
    where tables[index].accepts(type: source.type, columns: source.columns, time: source.time) {
      // Arrays of one buffer compare at once: only the first row of a source looks at the columns.
      tables[index].columns = source.columns
      return index
    }
    tables.append(Creations(type: source.type, columns: source.columns, time: source.time))
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

  /// Adds what is to be forgotten, and says at which place among such of the block.
  package mutating func add(_ redaction: Redaction) -> Int {
    redactions.append(redaction)
    byteCount += redaction.byteCount
    hasRedacted = true
    return redactions.count - 1
  }

  /// Whether a value must stand in a cell of its own rather than in a table.
  package static func isLarge(_ value: Value) -> Bool {
    value.byteCountEstimate() ?? 0 > BlockContent.chunkByteCount / 2
  }

  /// What has come together.
  package var content: BlockContent {
    var sections = tables.map(Section.creations)
    if !cells.isEmpty { sections.append(.cells(cells)) }
    return BlockContent(sections: sections, redactions: redactions)
  }

  /// Takes what has come together.
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
  /// The bytes of the names a cell carries, most of which a block writes once for many cells; and
  /// of the adds it removes.
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

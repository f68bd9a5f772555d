/// A run of cells of one shape inside a block.
package enum Section: Sendable, Hashable {
  /// Entities of one type created with the same keys: a table.
  case creations(Creations)
  /// All other cells.
  case cells([Cell])

  /// The cells, in order.
  package var cells: [Cell] {
    switch self {
    case .creations(let creations): creations.cells
    case .cells(let cells): cells
    }
  }
}

extension Section {
  /// The approximate size of the encoding, in bytes.
  var byteCountEstimate: Int {
    switch self {
    case .creations(let table): 128 + table.ids.count * 20 + table.values.byteCountEstimate
    case .cells(let cells): 128 + cells.count * 40
    }
  }
}

/// Entities of one type created with the same keys, as a table of values.
package struct Creations: Sendable, Hashable {
  package struct Column: Sendable, Hashable {
    package var key: PropertyKey
    package var semanticType: String

    package init(key: PropertyKey, semanticType: String) {
      self.key = key
      self.semanticType = semanticType
    }

    package static func == (left: Column, right: Column) -> Bool {
      left.key == right.key && left.semanticType.isSame(as: right.semanticType)
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(key)
      semanticType.utf8.hashBytes(into: &hasher)
    }
  }

  package var type: EntityType
  package var columns: [Column]
  /// The time from which the rows hold; nil for the time of the commit.
  package var time: HybridTime?
  package var ids: [EntityID] = []
  /// The rows' ordinals, rising.
  package var ordinals: [Int] = []
  /// The values, row by row; nil if a row has no value in a column.
  package var values = PackedValues()

  package init(type: EntityType, columns: [Column], time: HybridTime?) {
    self.type = type
    self.columns = columns
    self.time = time
  }

  /// Reserves room for the rows of a block, if another table begins with many like them.
  mutating func reserveCapacity(like source: Creations, byteCount: Int) {
    let count = source.ids.count
    guard count >= Self.manyRows, byteCount > 0 else { return }
    let rowByteCount = 17 + source.values.byteCountEstimate(of: source.values.indices) / count
    let rowCount = min(byteCount / rowByteCount + 1, count * 4)
    ids.reserveCapacity(rowCount)
    ordinals.reserveCapacity(rowCount)
    values.reserveCapacity(rowCount * columns.count, byteCount: rowCount * rowByteCount)
  }

  /// The number of rows of a table from which on more like them are expected.
  private static let manyRows = 8

  /// Returns whether a row of this type, shape and time belongs in this table.
  package func accepts(type: EntityType, columns: [Column], time: HybridTime?) -> Bool {
    self.time == time && self.columns == columns && self.type == type
  }

  package var cells: [Cell] {
    var cells: [Cell] = []
    cells.reserveCapacity(ids.count * (columns.count + 1))
    for row in ids.indices { appendCells(ofRow: row, to: &cells) }
    return cells
  }

  package func appendCells(ofRow row: Int, to cells: inout [Cell]) {
    func append(_ content: Cell.Content) {
      let cell = Cell(ordinal: ordinals[row], entity: ids[row], time: time, content: content)
      cells.append(cell)
    }
    append(.life(.created(type, datestamp: nil)))
    for (index, column) in columns.enumerated() {
      guard let value = values[row * columns.count + index] else { continue }
      append(.value(column.key, value, semanticType: column.semanticType))
    }
  }
}

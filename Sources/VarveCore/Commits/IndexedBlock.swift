/// A block in memory, in which single cells are found.
///
/// The tables of creations of a stored block stay encoded: only the rows that are asked for are
/// decoded.
package final class IndexedBlock {
  private enum Part {
    case cells([Cell])
    case creations(Creations)
    case encoded(EncodedCreations)
  }

  /// The number of searches after which the encoded tables are indexed. Reading a whole type searches
  /// for most rows; a single row is found faster without an index.
  private static let searchLimit = 8

  private let payload: [UInt8]
  private let parts: [Part]
  private var searchCount = 0
  /// The rows of the encoded tables, by entity, once there were many searches.
  private var encodedRows: [Int: [EntityID: Int]] = [:]
  /// The rows of the decoded tables, by entity; empty for other parts.
  private lazy var rows: [[EntityID: Int]] = parts.map { part in
    guard case .creations(let table) = part else { return [:] }
    return Dictionary(zip(table.ids, table.ids.indices), uniquingKeysWith: { first, _ in first })
  }

  /// Indexes decoded content.
  package init(_ content: BlockContent) {
    payload = []
    parts = content.sections.map { section in
      switch section {
      case .creations(let table): .creations(table)
      case .cells(let cells): .cells(cells)
      }
    }
  }

  /// Indexes a payload; returns nil if it lacks a large value, which other blocks hold.
  ///
  /// - Throws: ``VarveError`` with code `damaged`. Values in tables are validated when they are
  ///   decoded.
  package init?(_ payload: [UInt8]) throws {
    var parts: [Part] = []
    var chunked: BlockContent.ChunkedValue?
    try payload.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      try reader.blockTag()
      while !reader.isAtEnd, chunked == nil {
        switch try reader.sectionTag() {
        case .redactions: _ = try reader.redactions()
        case .creations: parts.append(.encoded(try EncodedCreations(&reader, of: bytes)))
        case .cells: parts.append(.cells(try reader.cellSection(chunked: &chunked)))
        }
      }
    }
    guard chunked == nil else { return nil }
    (self.payload, self.parts) = (payload, parts)
  }

  /// The latest time of its own that a cell has; nil if all hold from the time of the commit.
  package var latestOwnTime: HybridTime? {
    parts.lazy.compactMap { part in
      switch part {
      case .cells(let cells): cells.lazy.compactMap(\.time).max()
      case .creations(let table): table.time
      case .encoded(let table): table.time
      }
    }.max()
  }

  /// Returns the cells of an entity's creation in this block; none if no table in it created the
  /// entity.
  package func creation(of id: EntityID) throws -> [Cell] {
    searchCount += 1
    for (index, part) in parts.enumerated() {
      switch part {
      case .creations(let table):
        guard let row = rows[index][id] else { continue }
        return table.cells(ofRow: row)
      case .encoded(let table):
        let cells = try payload.withUnsafeBytes { bytes in
          try row(of: id, inPart: index, table, bytes)
            .map { try table.cells(ofRow: $0, of: bytes) }
        }
        if let cells { return cells }
      case .cells(let cells):
        if let cell = cells.first(where: { $0.entity == id && $0.content.isCreation }) {
          return [cell]
        }
      }
    }
    return []
  }

  /// Returns the row of an entity in an encoded table.
  private func row(
    of id: EntityID,
    inPart index: Int,
    _ table: EncodedCreations,
    _ bytes: UnsafeRawBufferPointer
  ) throws -> Int? {
    if let rows = encodedRows[index] { return rows[id] }
    guard searchCount > Self.searchLimit else { return table.row(of: id, in: bytes) }
    let rows = try table.rows(in: bytes)
    encodedRows[index] = rows
    return rows[id]
  }

  /// Returns the cell at an ordinal. The cells of a creation share one ordinal, so the key
  /// distinguishes them.
  package func cell(ordinal: Int, key: PropertyKey?) throws -> Cell? {
    for part in parts {
      switch part {
      case .cells(let cells):
        let index = cells.partitioningIndex { $0.ordinal >= ordinal }
        if index < cells.count, cells[index].ordinal == ordinal { return cells[index] }
      case .creations(let table):
        let row = table.ordinals.partitioningIndex { $0 >= ordinal }
        guard row < table.ordinals.count, table.ordinals[row] == ordinal else { continue }
        return table.cells(ofRow: row).first { $0.content.key == key }
      case .encoded(let table):
        guard let row = table.row(ordinal: ordinal) else { continue }
        return try payload.withUnsafeBytes { try table.cells(ofRow: row, of: $0) }
          .first { $0.content.key == key }
      }
    }
    return nil
  }
}

extension Creations {
  fileprivate func cells(ofRow row: Int) -> [Cell] {
    var cells: [Cell] = []
    appendCells(ofRow: row, to: &cells)
    return cells
  }
}

extension Cell.Content {
  fileprivate var isCreation: Bool {
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

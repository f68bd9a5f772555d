/// Removes redacted cells from stored content.
extension BlockContent {
  /// Returns the content without the named cells, and the cells removed; nil if it has none of
  /// them.
  ///
  /// A large value must have been assembled.
  package func redacted(
    _ named: RedactedCells
  ) -> (content: BlockContent, dropped: [Cell])? {
    var dropped: [Cell] = []
    var rest = self
    rest.sections = sections.compactMap { section in
      switch section {
      case .creations(var table):
        table.drop(named, &dropped)
        return .creations(table)
      case .cells(let cells):
        let kept = cells.filter { cell in
          guard named.names(cell) else { return true }
          dropped.append(cell)
          return false
        }
        return kept.isEmpty ? nil : .cells(kept)
      }
    }
    return dropped.isEmpty ? nil : (rest, dropped)
  }

  /// The first ordinal; nil if there are no cells.
  package var firstOrdinal: Int? {
    sections.compactMap { section in
      switch section {
      case .creations(let table): table.ordinals.first
      case .cells(let cells): cells.first?.ordinal
      }
    }.min()
  }
}

extension Creations {
  /// Removes values, and columns that have no values left.
  fileprivate mutating func drop(_ named: RedactedCells, _ dropped: inout [Cell]) {
    let before = dropped.count
    for row in ids.indices {
      for (index, column) in columns.enumerated() {
        let place = row * columns.count + index
        guard let value = values[place], named.names(ordinals[row], column.key) else { continue }
        dropped.append(
          Cell(
            ordinal: ordinals[row],
            entity: ids[row],
            time: time,
            content: .value(column.key, value, semanticType: column.semanticType)
          )
        )
        values[place] = nil
      }
    }
    if dropped.count > before { dropEmptyColumns() }
  }

  private mutating func dropEmptyColumns() {
    let width = columns.count
    let kept = columns.indices.filter { column in
      ids.indices.contains { values.kind(at: $0 * width + column) != nil }
    }
    guard kept.count < width else { return }
    values = PackedValues(ids.indices.flatMap { row in kept.map { values[row * width + $0] } })
    columns = kept.map { columns[$0] }
  }
}

extension Block {
  /// Creates a redacted block: it has the digest of the original and other content. The salt is
  /// destroyed, so that the original content cannot be found by guessing.
  package init(redacting original: Block, to payload: [UInt8]) {
    self.init(salt: [], digest: original.digest, stored: Self.packed(payload))
  }

  /// Creates the block that replaces a chunk of a redacted value: a block of cells without any.
  package init(emptying original: Block) {
    self.init(redacting: original, to: [BlockContent.cellsTag])
  }

  /// Whether the block is redacted: its digest is not that of its content.
  package var isRedacted: Bool { salt.isEmpty }
}

extension Commit {
  /// Returns the commit without the named cells, under the same name; itself if it has none of
  /// them.
  package func redacted(_ named: RedactedCells) throws -> Commit {
    guard !named.isEmpty else { return self }
    var blocks = blocks
    var isChanged = false
    try forEachContent { content, index in
      guard let (rest, _) = content.redacted(named) else { return }
      isChanged = true
      let payloads = rest.payloads()
      blocks[index] = Block(redacting: blocks[index], to: payloads[0])
      // The chunks of a large value that was kept are unchanged.
      guard payloads.count == 1, let chunkCount = content.chunkCount else { return }
      for chunk in index + 1...index + chunkCount {
        blocks[chunk] = Block(emptying: blocks[chunk])
      }
    }
    return isChanged ? with(blocks) : self
  }

  /// Returns the commit's redactions of other commits.
  package func redactions() throws -> [Redaction] {
    guard header.kind == .redactions else { return [] }
    var redactions: [Redaction] = []
    try forEachContent { content, _ in redactions += content.redactions }
    return redactions
  }
}

extension BlockContent {
  /// The number of chunks of the large value at the end; nil if there is none.
  package var chunkCount: Int? {
    guard case .cells(let cells)? = sections.last,
      case .value(_, let value, _)? = cells.last?.content,
      value.byteCountEstimate() ?? 0 > Self.chunkByteCount
    else { return nil }
    return (value.encoded.count + Self.chunkByteCount - 1) / Self.chunkByteCount
  }
}

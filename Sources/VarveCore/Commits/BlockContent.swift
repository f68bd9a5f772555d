/// The decoded content of a block: sections of cells, the last of which may lack a large value.
package struct BlockContent: Sendable {
  package var sections: [Section]
  /// The redactions of cells in other commits.
  package var redactions: [Redaction]

  /// The large value that is stored in the blocks after this one. It belongs to the last cell.
  package var chunked: ChunkedValue?

  package struct ChunkedValue: Hashable, Sendable {
    package var byteCount: Int
    package var chunkCount: Int
  }

  /// The first byte of a block of cells.
  package static let cellsTag: UInt8 = 1
  /// The first byte of a block that continues a large value.
  package static let chunkTag: UInt8 = 2
  /// The size of a chunk. A value whose encoding is longer is stored in chunks.
  package static let chunkByteCount = 1 << 20
  /// The approximate size of the cells at which a block is sealed, in bytes.
  package static let targetByteCount = 30 << 10
  /// The target size of blocks with updates, which are read one cell at a time.
  package static let updateTargetByteCount = 8 << 10

  package init(sections: [Section], redactions: [Redaction] = []) {
    self.sections = sections
    self.redactions = redactions
  }

  /// Assembles the large value.
  package mutating func complete(with chunks: [[UInt8]]) throws {
    guard let chunked, case .cells(var cells)? = sections.last, var last = cells.popLast(),
      case .value(let key, _, let semanticType) = last.content
    else { return }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(chunks.reduce(0) { $0 + $1.count })
    for chunk in chunks { bytes.append(contentsOf: chunk) }
    guard bytes.count == chunked.byteCount else {
      throw VarveError(.damaged, "a large value has the wrong length", at: "property \(key)")
    }
    last.content = .value(key, try Value(encoded: bytes), semanticType: semanticType)
    cells.append(last)
    sections[sections.count - 1] = .cells(cells)
    self.chunked = nil
  }

  /// Returns the payloads: one for the cells, and one for each chunk of a large value.
  package func payloads() -> [[UInt8]] {
    var payloads: [[UInt8]] = []
    forEachPayload { payloads.append($0) }
    return payloads
  }

  /// Passes the payloads one by one. All chunks at once would be a copy of the large value.
  package func forEachPayload(_ body: ([UInt8]) throws -> Void) rethrows {
    var large: [UInt8]?
    try body(head(&large))
    guard let large else { return }
    let size = Self.chunkByteCount
    for start in stride(from: 0, to: large.count, by: size) {
      try body([Self.chunkTag] + large[start..<min(start + size, large.count)])
    }
  }

  /// Returns the payload of the cells.
  ///
  /// - Parameter large: set to the encoding of the value that is stored in chunks.
  private func head(_ large: inout [UInt8]?) -> [UInt8] {
    let estimate = sections.reduce(64) { $0 + $1.byteCountEstimate }
    var writer = ByteWriter(capacity: min(estimate, Self.chunkByteCount * 2))
    writer.byte(Self.cellsTag)
    if !redactions.isEmpty {
      writer.byte(SectionTag.redactions.rawValue)
      writer.varint(redactions.count)
      for redaction in redactions { writer.redaction(redaction) }
    }
    for section in sections { writer.section(section, large: &large) }
    return writer.bytes
  }

  package init(decoding payload: [UInt8]) throws {
    self.init(sections: [])
    try payload.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      try reader.blockTag()
      while !reader.isAtEnd {
        guard chunked == nil else { throw reader.damaged("a section follows a large value") }
        if try reader.peek() == SectionTag.redactions.rawValue {
          try reader.skip(1)
          redactions += try reader.redactions()
          continue
        }
        sections.append(try reader.section(chunked: &chunked))
      }
    }
  }
}

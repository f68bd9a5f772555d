/// An immutable, atomic set of cells by one replica: the unit of history, transport and audit.
public struct Commit: Sendable {
  /// The decoded header.
  public private(set) var header: CommitHeader
  /// The bytes of the header, as they were hashed.
  package let headerBytes: [UInt8]
  /// The commit's name.
  public let id: CommitID
  /// The payload.
  package private(set) var blocks: [Block]

  /// Creates a commit from a header and its blocks, which must match.
  package init(header: CommitHeader, blocks: [Block]) {
    self.header = header
    self.blocks = blocks
    headerBytes = header.encoded
    id = CommitID(
      replica: header.replica,
      sequence: header.sequence,
      hash: CommitHeader.hash(ofEncoded: headerBytes)
    )
  }

  /// Decodes a commit that was stored or received. Nothing is verified yet.
  package init(headerBytes: [UInt8], blocks: [Block]) throws {
    header = try CommitHeader(encoded: headerBytes)
    self.headerBytes = headerBytes
    self.blocks = blocks
    id = CommitID(
      replica: header.replica,
      sequence: header.sequence,
      hash: CommitHeader.hash(ofEncoded: headerBytes)
    )
  }

  /// Returns the commit with other blocks: those that came after its header, or other forms of its
  /// own. Its name stays, and is not computed again.
  package func with(_ blocks: [Block]) -> Commit {
    var commit = self
    commit.blocks = blocks
    return commit
  }

  /// Returns the commit as a member of its sealed space reads it: with other forms of its blocks, and
  /// with author and message. Its name and the bytes of its header stay.
  package func opened(author: String, message: String, _ blocks: [Block]) -> Commit {
    var commit = with(blocks)
    commit.header.author = author
    commit.header.message = message
    return commit
  }

  /// Verifies that the blocks are those the header was created with.
  ///
  /// - Throws: ``VarveError`` with code `damaged`; it names the commit and the block.
  /// - Complexity: O(bytes).
  package func verify() throws {
    guard blocks.count == header.blockCount else {
      throw damaged("it has \(blocks.count) blocks where its header says \(header.blockCount)")
    }
    for (index, block) in blocks.enumerated() where !block.isIntact {
      throw damaged("the content of block \(index) does not match its digest")
    }
    guard CommitHeader.digest(ofBlocks: blocks.map(\.digest)) == header.blocksDigest else {
      throw damaged("its blocks are not those its header names")
    }
  }

  /// Verifies that every block can be read and contains nothing that the commit's kind does not
  /// allow.
  ///
  /// - Throws: ``VarveError`` with code `damaged` or `newerFormat`.
  /// - Complexity: O(bytes).
  package func verifyContent() throws { try forEachContent { _, _ in } }

  /// Verifies that the horizon in the header, if there is one, can be read.
  package func verifyHorizon() throws {
    if header.kind == .redactions { _ = try header.horizon }
  }

  /// Verifies that only a commit of kind `redactions` contains redactions.
  package func verifyKind(of content: BlockContent) throws {
    guard content.redactions.isEmpty || header.kind == .redactions else {
      throw damaged("it contains redactions, which its kind does not allow")
    }
  }

  package func damaged(_ what: String) -> VarveError {
    VarveError(
      .damaged,
      "a commit is damaged: \(what)",
      at: "commit \(header.sequence) of replica \(header.replica)",
      remedy: "Restore the file from a copy, or merge from another replica."
    )
  }

  /// Returns every cell, in order of ordinal within each section.
  ///
  /// - Throws: ``VarveError`` with code `damaged` if a block cannot be read.
  package func cells() throws -> [Cell] {
    var cells: [Cell] = []
    try forEachContent { content, _ in
      for section in content.sections { cells.append(contentsOf: section.cells) }
    }
    return cells
  }

  /// Decodes a block of cells.
  ///
  /// - Throws: ``VarveError`` with code `damaged`, which names the commit.
  package func content(of block: Block) throws -> BlockContent {
    try reading { try BlockContent(decoding: try block.payload()) }
  }

  /// Decodes a block that has a part of a large value.
  ///
  /// - Throws: ``VarveError`` with code `damaged`, which names the commit.
  package func chunk(of block: Block) throws -> [UInt8] { try reading { try block.chunk() } }

  /// Runs what decodes a block. An error about its bytes names the commit.
  private func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as VarveError where error.code == .damaged {
      throw damaged(error.message + (error.place.map { " (\($0))" } ?? ""))
    }
  }

  /// Decodes each block of cells, with large values assembled, and passes it with the block's
  /// index.
  package func forEachContent(_ body: (BlockContent, Int) throws -> Void) throws {
    var index = 0
    while index < blocks.count {
      var content = try content(of: blocks[index])
      let first = index
      index += 1
      if let chunked = content.chunked {
        guard chunked.chunkCount <= blocks.count - index else {
          throw damaged("chunks of a large value are missing")
        }
        let chunks = try blocks[index..<index + chunked.chunkCount].map { try chunk(of: $0) }
        try reading { try content.complete(with: chunks) }
        index += chunked.chunkCount
      }
      try verifyKind(of: content)
      try body(content, first)
    }
  }
}

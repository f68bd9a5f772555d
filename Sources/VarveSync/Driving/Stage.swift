package import VarveCore

/// A large commit, staged in a temporary file until it has arrived completely, so that the log is
/// locked only while the commit is added and not while it is received.
package final class Stage {
  private let file: StagedFile
  /// The commit, without its blocks.
  package let head: Commit

  /// Starts with a commit's header.
  ///
  /// - Parameter isSealed: whether the file is encrypted.
  package init(_ header: CommitHeader, isSealed: Bool) throws {
    head = Commit(header: header, blocks: [])
    file = try StagedFile(isSealed: isSealed)
    var writer = CommitStreamWriter()
    writer.add(head)
    try file.write(writer.take())
  }

  /// Writes the next block.
  package func add(_ block: Block) throws {
    var writer = CommitStreamWriter()
    writer.add(block)
    try file.write(writer.take())
  }

  /// Returns a function that reads the staged parts from the beginning.
  package func parts() throws -> () throws -> CommitPart? {
    try file.rewind()
    var reader = CommitStreamReader()
    return { [file] in
      while true {
        switch try reader.next() {
        case .header(let commit): return .header(commit.header)
        case .block(let block): return .block(block)
        case .unreadable(_, let error): throw error
        case .commit: throw Frame.damaged("a staged commit is packed")
        case nil: break
        }
        guard let bytes = try file.read() else { return nil }
        reader.add(bytes)
      }
    }
  }
}

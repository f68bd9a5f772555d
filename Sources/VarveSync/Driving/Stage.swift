import Foundation
package import VarveCore

/// A large commit, staged in a temporary file until it has arrived completely, so that the log is
/// locked only while the commit is added and not while it is received.
package final class Stage {
  private let file: FileHandle
  private let url: URL
  /// The commit, without its blocks.
  package let head: Commit

  /// Starts with a commit's header.
  package init(_ header: CommitHeader) throws {
    head = Commit(header: header, blocks: [])
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-stage-\(UUID().uuidString)")
    do {
      try Data().write(to: url)
      file = try FileHandle(forUpdating: url)
      // The name is removed at once, so that the file does not outlive the process.
      try? FileManager.default.removeItem(at: url)
    } catch {
      throw Self.failure(error, url)
    }
    var writer = CommitStreamWriter()
    writer.add(head)
    try write(writer.take())
  }

  deinit { try? file.close() }

  /// Writes the next block.
  package func add(_ block: Block) throws {
    var writer = CommitStreamWriter()
    writer.add(block)
    try write(writer.take())
  }

  private func write(_ bytes: [UInt8]) throws {
    do {
      try file.write(contentsOf: bytes)
    } catch {
      throw Self.failure(error, url)
    }
  }

  /// Returns a function that reads the staged parts from the beginning.
  package func parts() throws -> () throws -> CommitPart? {
    do {
      try file.seek(toOffset: 0)
    } catch {
      throw Self.failure(error, url)
    }
    var reader = CommitStreamReader()
    return { [file, url] in
      while true {
        switch try reader.next() {
        case .header(let commit): return .header(commit.header)
        case .block(let block): return .block(block)
        case .unreadable(_, let error): throw error
        case .commit: throw Frame.damaged("a staged commit is packed")
        case nil: break
        }
        do {
          guard let bytes = try file.read(upToCount: 1 << 20), !bytes.isEmpty else { return nil }
          reader.add(bytes)
        } catch {
          throw Self.failure(error, url)
        }
      }
    }
  }

  private static func failure(_ error: any Error, _ url: URL) -> VarveError {
    .temporaryFile(
      VarveError.systemNumber(of: error),
      "a large commit cannot be staged in a temporary file",
      in: url.deletingLastPathComponent().path
    )
  }
}

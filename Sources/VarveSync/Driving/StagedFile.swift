import Foundation
import VarveCore

/// The temporary file of a staged commit: a sequence of chunks, which are encrypted if the log is.
final class StagedFile {
  private let file: FileHandle
  private let url: URL
  private var sealer: ChunkSealer?

  /// Creates the file, which has no name from then on, so that it does not outlive the process.
  init(isSealed: Bool) throws {
    sealer = isSealed ? ChunkSealer() : nil
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-stage-\(UUID().uuidString)")
    do {
      try Data().write(to: url)
      file = try FileHandle(forUpdating: url)
      try? FileManager.default.removeItem(at: url)
    } catch {
      throw Self.failure(error, url)
    }
  }

  deinit { try? file.close() }

  func write(_ bytes: [UInt8]) throws {
    do {
      guard let sealed = try sealer?.seal(bytes) else { return try file.write(contentsOf: bytes) }
      try file.write(contentsOf: withUnsafeBytes(of: UInt64(sealed.count), Array.init) + sealed)
    } catch {
      throw Self.failure(error, url)
    }
  }

  func rewind() throws {
    sealer?.rewind()
    do {
      try file.seek(toOffset: 0)
    } catch {
      throw Self.failure(error, url)
    }
  }

  /// Reads the next bytes; nil at the end.
  func read() throws -> [UInt8]? {
    do {
      guard sealer != nil else { return try bytes(1 << 20) }
      guard let head = try bytes(MemoryLayout<UInt64>.size) else { return nil }
      let count = head.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
      guard let sealed = try bytes(Int(count)) else { return nil }
      return try sealer?.open(sealed)
    } catch {
      throw Self.failure(error, url)
    }
  }

  private func bytes(_ count: Int) throws -> [UInt8]? {
    guard let data = try file.read(upToCount: count), !data.isEmpty else { return nil }
    return Array(data)
  }

  private static func failure(_ error: any Error, _ url: URL) -> VarveError {
    .temporaryFile(
      VarveError.systemNumber(of: error),
      "a large commit cannot be staged in a temporary file",
      in: url.deletingLastPathComponent().path
    )
  }
}

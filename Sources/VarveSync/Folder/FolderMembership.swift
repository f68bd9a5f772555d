import Foundation
import VarveCore

/// The membership of a sealed space in a folder: one file for each store, with its membership log, signed
/// heads and letters.
///
/// The file is called `<replica>.varve-membership`. A store replaces its own file and reads the files of
/// the other stores. See `Documentation/Protocol.md`, "Folders of sealed spaces".
struct FolderMembership {
  private let folder: SyncFolder
  private let log: any CommitLog
  private var correspondence: any SealedCorrespondence
  /// The name of this store's file.
  private let own: String
  /// The files that were left out.
  private(set) var report = SyncReport()
  /// The number of files that belong to the space.
  private var takenCount = 0
  /// The error of a file of another space.
  private var foreign: VarveError?

  private static let suffix = ".varve-membership"
  private static let magic = Array("varve membership\0".utf8) + [1]
  private static let digestByteCount = 32
  /// The size of two logs at their limit, and of the replaced blocks. A larger file is not read.
  private static let byteLimit = 448 << 20

  /// - Returns: nil if the log knows no sealed spaces.
  init?(_ folder: SyncFolder, _ log: any CommitLog) async throws {
    guard let sealing = log.sealing else { return nil }
    self.folder = folder
    self.log = log
    correspondence = sealing.publishing()
    own = try await log.replica().text + Self.suffix
  }

  /// Takes what others published, then publishes what this store has.
  ///
  /// - Returns: whether commits may be exchanged.
  /// - Throws: ``VarveError``: `forbidden` if the folder belongs to another space, `readOnly` if the
  ///   membership has forked, `inputOutput`; the errors of the log.
  mutating func run() async throws -> Bool {
    for name in try names() where name != own { try await take(name) }
    if let foreign, takenCount == 0, read(own) == nil { throw foreign }
    try await publish()
    return correspondence.belongsToSpace
  }

  private func names() throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        .filter { $0.hasSuffix(Self.suffix) && !$0.hasPrefix(".") }
        .sorted()
    } catch {
      throw FolderFailure.error("the folder cannot be read", at: folder.url, error)
    }
  }

  /// Takes a file. One that is still being copied, or was damaged, is listed in the report.
  private mutating func take(_ name: String) async throws {
    try Task.checkCancellation()
    guard let bytes = read(name) else {
      report.incompleteFiles.append(name)
      return
    }
    do {
      try await change { try $0.take(publication: bytes, $1) }
      takenCount += 1
    } catch let error as VarveError
      where [.damaged, .newerFormat, .forbidden].contains(error.code)
    {
      let path = folder.url.appendingPathComponent(name).path
      let found = VarveError(error.code, error.message, at: path, remedy: error.remedy)
      report.parked.append(Parked(commit: .unknown, error: found))
      if error.code == .forbidden { foreign = found }
    }
  }

  private mutating func publish() async throws {
    let former = read(own)
    var published: [UInt8] = []
    try await change {
      published = try $0.publication(after: former, mayWrite: true, $1)
    }
    // Who may only read the folder reads it, and hands nothing over.
    guard published != former, access(folder.url.path, W_OK) == 0 else { return }
    try write(published)
  }

  /// Calls a closure with the correspondence and the desk. Neither changes if it throws.
  private mutating func change(
    _ body: (inout any SealedCorrespondence, any SealedDesk) throws -> Void
  ) async throws {
    let begun = correspondence
    correspondence = try await log.atDesk { desk in
      var correspondence = begun
      try body(&correspondence, desk)
      return correspondence
    }
  }

  // MARK: Files

  /// Returns what a file holds; nil if it is not there, not complete, or cannot be read.
  private func read(_ name: String) -> [UInt8]? {
    let url = folder.url.appendingPathComponent(name)
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    guard let attributes, attributes[.type] as? FileAttributeType == .typeRegular,
      let size = attributes[.size] as? Int, size <= Self.byteLimit,
      let bytes = (try? Data(contentsOf: url)).map(Array.init)
    else { return nil }
    guard bytes.starts(with: Self.magic),
      bytes.count >= Self.magic.count + Self.digestByteCount
    else { return nil }
    let content = bytes.dropLast(Self.digestByteCount)
    guard Self.digest(of: content) == Array(bytes.suffix(Self.digestByteCount)) else { return nil }
    return Array(content.dropFirst(Self.magic.count))
  }

  private func write(_ content: [UInt8]) throws {
    let url = folder.url.appendingPathComponent(own)
    let partial = folder.url.appendingPathComponent(".\(UUID().uuidString)\(own).partial")
    let bytes = Self.magic + content
    do {
      try Data().write(to: partial)
      let file = try FileHandle(forWritingTo: partial)
      try file.write(contentsOf: bytes + Self.digest(of: bytes))
      guard FileFlush.flush(file.fileDescriptor) else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
      try file.close()
      guard rename(partial.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      try? FileManager.default.removeItem(at: partial)
      throw FolderFailure.error("the membership cannot be written", at: url, error)
    }
  }

  private static func digest(of bytes: some Collection<UInt8>) -> [UInt8] {
    var digest = DigestStream()
    digest.add(bytes)
    return digest.digest.bytes
  }
}

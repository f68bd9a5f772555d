import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import VarveCore
import VarveStore

extension VarveRoutes {
  /// Adds `GET …/backup`.
  func addBackup(to group: RouterGroup<some RequestContext>) {
    group.get("backup") { request, context in
      await reply(request, context) { call in
        try call.allow()
        let name = try call.spaceName()
        try call.principal.require(.admin, in: name)
        let file = try await BackupFile(of: name, spaces)
        return file.response(named: name)
      }
    }
  }
}

/// A checked copy of a space on its way to a client. It has no name in the folder, so the system
/// removes it when it was sent, or when the process ends.
private final class BackupFile: Sendable {
  private let handle: FileHandle
  private let byteCount: Int
  private let position: SpacePosition

  private static let partByteCount = 256 << 10

  init(of name: SpaceName, _ spaces: SpaceDirectory) async throws {
    let folder = spaces.folder ?? FileManager.default.temporaryDirectory.path
    let path = "\(folder)/.varve-backup-\(UUID().uuidString)"
    position = try await spaces.use(name) { space in
      // The place comes first: the copy has everything up to it.
      let end = try await space.end()
      try await space.store.backup(to: path)
      return end
    }
    defer { unlink(path) }
    guard let handle = FileHandle(forReadingAtPath: path), let end = try? handle.seekToEnd() else {
      throw VarveError(.inputOutput, "the copy cannot be read", at: "space \(name.text)")
    }
    try handle.seek(toOffset: 0)
    self.handle = handle
    byteCount = Int(end)
  }

  func response(named name: SpaceName) -> Response {
    let body = ResponseBody(contentLength: byteCount) { writer in
      while let part = try self.handle.read(upToCount: Self.partByteCount), !part.isEmpty {
        try await writer.write(ByteBuffer(bytes: part))
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "application/vnd.varve.store", .cacheControl: "no-store",
        .contentDisposition: "attachment; filename=\"\(name.text).varve\"",
        .varvePosition: position.text,
      ],
      body: body
    )
  }
}

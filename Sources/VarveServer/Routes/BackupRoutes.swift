#if Server
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
      await stream(request, context, .admin) { call, lease in
        try call.allow()
        guard !HeadRequest.isCurrent else {
          return BackupFile.head(of: lease.space.name, at: try await lease.space.end())
        }
        return try await call.work.run(isLimited: false) {
          try await BackupFile(of: lease.space, in: spaces.folder).response
        }
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
  private let name: SpaceName

  private static let partByteCount = 256 << 10

  init(of space: Space, in folder: String?) async throws {
    let folder = folder ?? FileManager.default.temporaryDirectory.path
    let path = "\(folder)/.varve-backup-\(UUID().uuidString)"
    name = space.name
    // The place comes first: the copy has everything up to it.
    position = try await space.end()
    try await space.store.backup(to: path)
    defer { unlink(path) }
    guard let handle = FileHandle(forReadingAtPath: path), let end = try? handle.seekToEnd() else {
      throw VarveError(.inputOutput, "the copy cannot be read", at: "space \(name.text)")
    }
    try handle.seek(toOffset: 0)
    self.handle = handle
    byteCount = Int(end)
  }

  var response: Response {
    let body = ResponseBody(contentLength: byteCount) { writer in
      while let part = try self.handle.read(upToCount: Self.partByteCount), !part.isEmpty {
        try await writer.write(ByteBuffer(bytes: part))
      }
      try await writer.finish(nil)
    }
    var response = Self.head(of: name, at: position)
    response.body = body
    return response
  }

  /// Returns a reply without a copy, whose length is not known.
  static func head(of name: SpaceName, at position: SpacePosition) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: "application/vnd.varve.store", .cacheControl: "no-store",
        .contentDisposition: "attachment; filename=\"\(name.text).varve\"",
        .varvePosition: position.text,
      ],
      body: ResponseBody { writer in try await writer.finish(nil) }
    )
  }
}
#endif

#if Client || canImport(Darwin)
#if canImport(Darwin)
import Foundation

/// A file with the body of a request or a reply, removed with the object.
final class CarriedFile: Sendable {
  let url: URL
  private let isRemoved: @Sendable () -> Void

  /// Makes an empty file in a folder, which is made too.
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - isRemoved: called when the file has been removed.
  init(in folder: URL, isRemoved: @escaping @Sendable () -> Void = {}) throws {
    url = folder.appendingPathComponent(UUID().uuidString)
    self.isRemoved = isRemoved
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data().write(to: url)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
    isRemoved()
  }

  /// Writes what `next` returns until it returns nil.
  func write(_ next: () async throws -> [UInt8]?) async throws {
    let handle = try FileHandle(forWritingTo: url)
    defer { try? handle.close() }
    while let piece = try await next() { try handle.write(contentsOf: Data(piece)) }
  }

  /// Appends bytes.
  func append(_ data: Data) throws {
    let handle = try FileHandle(forWritingTo: url)
    defer { try? handle.close() }
    try handle.seekToEnd()
    try handle.write(contentsOf: data)
  }
}
#endif
#endif

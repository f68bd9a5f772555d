#if Client || canImport(Darwin)
import Foundation
import VarveCore

extension RemoteSpace {
  /// Fetches a copy of the space as a file, while others write to it. The server has checked the
  /// copy.
  ///
  /// The file has its name once it is complete. `varve space restore` makes a space of it again.
  ///
  /// - Parameters:
  ///   - path: the name of the new file.
  ///   - progress: called with the number of bytes that arrived, and of all bytes.
  /// - Throws: `VarveError`: `invalidArgument` if there is a file of the name, `forbidden` if the
  ///   caller is no admin, `unauthorized`, `notFound`, `inputOutput`, `diskFull`.
  public func backUp(
    to path: String,
    _ progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws {
    guard !FileManager.default.fileExists(atPath: path) else { throw Self.taken(path) }
    let partial = "\(path).\(UUID().uuidString).partial"
    defer { unlink(partial) }
    do {
      let transport = try await transport()
      let reply = try await transport.requested(
        "GET",
        "backup",
        accept: "application/vnd.varve.store",
        seconds: 86_400
      )
      try await Self.write(reply, by: transport, to: partial, progress)
    } catch let refusal as ServerRefusal {
      throw refusal.error
    }
    guard link(partial, path) == 0 else { throw Self.taken(path) }
  }

  private static func write(
    _ reply: CarriedReply,
    by transport: HTTPTransport,
    to partial: String,
    _ progress: (_ done: Int, _ total: Int) -> Void
  ) async throws {
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(partial) }
    defer { close(descriptor) }
    let total = reply.headers["content-length"].flatMap { Int($0) }
    var done = 0
    while let part = try await transport.carried({ try await reply.next() }) {
      var rest = part[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { throw failure(partial) }
        rest = rest.dropFirst(count)
      }
      done += part.count
      progress(done, total ?? done)
    }
    guard done == total ?? done, FileFlush.flush(descriptor) else { throw failure(partial) }
  }

  private static func taken(_ path: String) -> VarveError {
    VarveError(
      .invalidArgument,
      "there is a file already, or the folder cannot be written",
      at: path,
      remedy: "Remove it, or name another file."
    )
  }

  private static func failure(_ path: String) -> VarveError {
    let isFull = [ENOSPC, EDQUOT, EFBIG].contains(errno)
    return VarveError(
      isFull ? .diskFull : .inputOutput,
      "the copy cannot be written, or did not arrive whole",
      at: path,
      remedy: isFull ? "Free some space." : "Check the folder and the connection, and try again."
    )
  }
}
#endif

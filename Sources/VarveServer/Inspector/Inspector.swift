#if Server
import Foundation
import Logging
public import VarveStore

/// A page in the browser that shows everything a store knows: any state, what changed, who did it,
/// who owns whom, what conflicts.
///
/// ```swift
/// let inspector = try await Inspector(store).start()
/// print(inspector.link)  // http://127.0.0.1:53124/#enter=…
/// ```
///
/// It listens on this computer only. The browser that opens the link may read the store, and write
/// if that is permitted; the link works once. It is meant for debug builds of an application.
public struct Inspector: Sendable {
  private let store: Store

  /// The name under which the page shows the store.
  public var name = "store"
  /// Whether the page may write to the store.
  public var permitsWriting = false
  /// The author of what the page writes; nil to let the page name one.
  public var author: String?
  /// The port; 0 for any that is free.
  public var port = 0

  /// Creates an inspector that does not run yet.
  public init(_ store: Store) { self.store = store }

  /// Starts a server for the page.
  ///
  /// - Returns: the running inspector. It ends when it is stopped or released. The store stays
  ///   open.
  /// - Throws: `VarveError`: `inputOutput` if the port is taken, `invalidArgument` if the name is
  ///   none of a space.
  public func start() async throws -> RunningInspector {
    let access = LinkedAccess(for: principal)
    let server = try await server(access)
    let (addresses, listening) = AsyncStream<String>.makeStream()
    let task = Task {
      defer { listening.finish() }
      try await server.run(handlesSignals: false) { listening.yield($0) }
    }
    var first = addresses.makeAsyncIterator()
    guard let address = await first.next() else {
      try await task.value
      throw CancellationError()
    }
    return RunningInspector(link: address + (try await access.link()), task)
  }

  /// Serves the page until the task is cancelled or the process receives SIGTERM or SIGINT.
  ///
  /// - Parameter ready: called with the link once the server listens.
  /// - Throws: As ``start()``.
  public func run(_ ready: @escaping @Sendable (_ link: String) async -> Void) async throws {
    let access = LinkedAccess(for: principal)
    try await server(access).run { address in
      if let link = try? await access.link() { await ready(address + link) }
    }
  }

  private var principal: Principal {
    var principal = Principal(subject: author, grants: [name: permitsWriting ? .writer : .reader])
    principal.roleRemedy =
      permitsWriting
      ? "The inspector has the role writer: do this by a command or in a program."
      : "Open the inspector for writing: varve inspect STORE --write, or permitsWriting."
    return principal
  }

  private func server(_ access: LinkedAccess) async throws -> VarveServer {
    let spaces = try await SpaceDirectory(serving: store, as: name)
    var server = VarveServer(spaces, access: .linked(access), port: port)
    server.logger.logLevel = .error
    return server
  }

  /// Returns the name of the space for a file: that of the file if it is one.
  package static func name(ofFile path: String) -> String {
    let file = URL(fileURLWithPath: path).lastPathComponent
    let name = file.hasSuffix(".varve") ? String(file.dropLast(6)) : file
    return SpaceName(name)?.text ?? "store"
  }
}

/// An inspector that runs in this process.
public final class RunningInspector: Sendable {
  /// The link to the page, which works once.
  public let link: String
  private let task: Task<Void, any Error>

  init(link: String, _ task: Task<Void, any Error>) {
    self.link = link
    self.task = task
  }

  deinit { task.cancel() }

  /// Ends the server of the page.
  public func stop() async {
    task.cancel()
    _ = try? await task.value
  }
}
#endif

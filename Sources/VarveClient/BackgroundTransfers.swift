#if Client || canImport(Darwin)
#if canImport(Darwin)
import Foundation
import VarveCore

/// Lets the system carry the requests of synchronisations, which then go on while the process is
/// suspended.
///
/// ```swift
/// let transfers = BackgroundTransfers("org.example.hats.sync")
/// let space = RemoteSpace("https://example.org/hats", token: token).carried(by: transfers)
/// try await store.sync(with: space)
/// ```
///
/// Make one object for each identifier and keep it as long as the process runs. The system wakes
/// the process when a transfer has ended, and says so to the application's delegate; wait there for
/// ``finishEvents()``.
///
/// - A request whose reply comes after the process has ended is repeated by the next
///   synchronisation. No commit is lost or applied twice by that.
/// - A request waits for a network, for a day at most. Cancel the task that synchronises to end it
///   earlier.
/// - The system follows redirections itself. A reply that comes from another address is refused,
///   but the request and its token have been there. Write the address to which nothing redirects.
/// - Bodies are kept in files in the folder of caches until they are sent, and replies until they
///   are read. They have the system's class of Data Protection.
///
/// It is type-checked, and has not been run on Apple's systems yet.
public final class BackgroundTransfers: Sendable {
  /// The identifier of the system's session.
  public let identifier: String
  private let events: BackgroundEvents
  private let session: URLSession
  private let folder: URL

  /// Creates the transfers of an identifier, and takes up those that an earlier process began.
  ///
  /// - Parameters:
  ///   - identifier: a text that no other session of the process has.
  ///   - sharedContainer: the identifier of an App Group, which an extension must name.
  public convenience init(_ identifier: String, sharedContainer: String? = nil) {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.sharedContainerIdentifier = sharedContainer
    configuration.sessionSendsLaunchEvents = true
    configuration.timeoutIntervalForResource = 86_400
    self.init(identifier, configuration)
  }

  init(_ identifier: String, _ configuration: URLSessionConfiguration) {
    self.identifier = identifier
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
    folder = (caches ?? FileManager.default.temporaryDirectory)
      .appendingPathComponent("varve-\(RemoteServer.encoded(identifier))", isDirectory: true)
    events = BackgroundEvents(folder)
    session = URLSession(configuration: configuration, delegate: events, delegateQueue: nil)
    removeLeftFiles()
  }

  /// Returns once the system has delivered the events for which it woke the process, and the
  /// synchronisations have read the replies.
  ///
  /// ```swift
  /// WindowGroup { ContentView() }
  ///   .backgroundTask(.urlSession(transfers.identifier)) {
  ///     try? await store.resume()
  ///     await transfers.finishEvents()
  ///     try? await store.suspend()
  ///   }
  /// ```
  public func finishEvents() async { await events.finish() }

  /// Sends a request with the body in a file, or without one.
  func send(_ request: URLRequest, body: CarriedFile?) async throws -> CarriedReply {
    let task: URLSessionTask =
      if let body {
        session.uploadTask(with: request, fromFile: body.url)
      } else {
        session.downloadTask(with: request)
      }
    // A later process finds by it which files are still needed.
    task.taskDescription = body?.url.lastPathComponent
    let (response, file) = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        events.add(task.taskIdentifier, continuation)
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
    return try withExtendedLifetime(body) { try reply(to: request, response, file) }
  }

  /// Makes a file for the body of a request.
  func makeFile() throws -> CarriedFile { try CarriedFile(in: folder) }

  private func reply(
    to request: URLRequest,
    _ response: URLResponse,
    _ file: CarriedFile?
  ) throws -> CarriedReply {
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    var (status, headers) = (response.statusCode, response.headersInLowerCase)
    if let address = response.url, !address.isSamePlace(as: request.url) {
      (status, headers["location"]) = (307, address.absoluteString)
    }
    let handle = try file.map { try FileHandle(forReadingFrom: $0.url) }
    return CarriedReply(status: status, headers: headers) {
      // The file lives as long as the reply, which holds it here.
      try withExtendedLifetime(file) {
        guard let part = try handle?.read(upToCount: 1 << 16), !part.isEmpty else { return nil }
        return [UInt8](part)
      }
    }
  }

  /// Removes the files of transfers that are no more.
  private func removeLeftFiles() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    guard !names.isEmpty else { return }
    session.getAllTasks { [folder] tasks in
      let kept = Set(tasks.compactMap(\.taskDescription))
      for name in names where !kept.contains(name) {
        try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
      }
    }
  }
}

extension BackgroundTransfers: Hashable {
  /// Returns whether both are one object.
  public static func == (left: BackgroundTransfers, right: BackgroundTransfers) -> Bool {
    left === right
  }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension URL {
  /// Returns whether both name the same resource of the same server, in whatever spelling.
  fileprivate func isSamePlace(as other: URL?) -> Bool {
    scheme?.lowercased() == other?.scheme?.lowercased()
      && host?.lowercased() == other?.host?.lowercased()
      && port == other?.port && path == other?.path
  }
}

/// Carries requests by transfers in the background.
struct BackgroundCarrier: HTTPCarrier {
  let transfers: BackgroundTransfers

  func send(_ request: CarriedRequest) async throws -> CarriedReply {
    guard let body = request.body else {
      return try await transfers.send(try URLRequest(request), body: nil)
    }
    var rest: [UInt8]? = body
    return try await send(request) {
      defer { rest = nil }
      return rest
    }
  }

  func send(
    _ request: CarriedRequest,
    body next: () async throws -> [UInt8]?
  ) async throws -> CarriedReply {
    let file = try transfers.makeFile()
    try await file.write(next)
    var request = request
    request.body = nil
    return try await transfers.send(try URLRequest(request), body: file)
  }

  func failure(of error: any Error) -> TransportFailure { SystemCarrier().failure(of: error) }
}
#endif
#endif

#if Client || canImport(Darwin)
#if os(Linux)
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Carries requests by AsyncHTTPClient.
struct SystemCarrier: HTTPCarrier {
  func send(_ request: CarriedRequest) async throws -> CarriedReply {
    var carried = Self.request(request)
    if let body = request.body { carried.body = .bytes(ByteBuffer(bytes: body)) }
    return try await Self.execute(carried, seconds: request.seconds)
  }

  func send(
    _ request: CarriedRequest,
    body next: () async throws -> [UInt8]?
  ) async throws -> CarriedReply {
    let pieces = PieceChannel()
    var carried = Self.request(request)
    carried.body = .stream(pieces, length: .unknown)
    async let reply = Self.execute(carried, seconds: request.seconds)
    do {
      while let piece = try await next(), await pieces.offer(ByteBuffer(bytes: piece)) {}
      await pieces.finish(nil)
    } catch {
      await pieces.finish(error)
      _ = try? await reply
      throw error
    }
    return try await reply
  }

  /// The client of this process. If a server cannot be reached, it throws at once, and does not
  /// retry until the request times out.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.timeout.connect = .seconds(10)
    configuration.connectionPool.retryConnectionEstablishment = false
    // A request, and the token with it, goes to the host that the user wrote and to no other.
    configuration.redirectConfiguration = .disallow
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  private static func request(_ request: CarriedRequest) -> HTTPClientRequest {
    var carried = HTTPClientRequest(url: request.url)
    carried.method = HTTPMethod(rawValue: request.method)
    for (name, value) in request.headers { carried.headers.add(name: name, value: value) }
    return carried
  }

  private static func execute(
    _ request: HTTPClientRequest,
    seconds: Int64
  ) async throws -> CarriedReply {
    let response = try await client.execute(request, timeout: .seconds(seconds))
    var headers: [String: String] = [:]
    for (name, value) in response.headers { headers[name.lowercased()] = value }
    // Unsafe, because the compiler cannot know that the reply's only reader awaits each part
    // before it asks for the next.
    nonisolated(unsafe) var parts = response.body.makeAsyncIterator()
    return CarriedReply(status: Int(response.status.code), headers: headers) {
      try await parts.next().map { Array($0.readableBytesView) }
    }
  }
}

extension SystemCarrier {
  func failure(of error: any Error) -> TransportFailure {
    switch error {
    case let error as NIOConnectionError: Self.failure(of: error)
    case let error as IOError: Self.failure(errno: error.errnoCode)
    case let error as HTTPClientError: Self.failure(of: error)
    case NIOSSLError.uncleanShutdown: .closedEarly
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: .untrusted
    case HTTPParserError.invalidEOFState: .closedEarly
    case is HTTPParserError: .notHTTP
    case ChannelError.connectTimeout: .timeout
    case is ChannelError: .closedEarly
    default: .broken
    }
  }

  private static func failure(of error: NIOConnectionError) -> TransportFailure {
    let failures = error.connectionErrors.map { attempt in
      (attempt.error as? IOError).map { failure(errno: $0.errnoCode) } ?? .timeout
    }
    // A host may have several addresses, of which one refuses and others do not exist.
    return failures.contains(.refused) ? .refused : failures.first ?? .unknownHost
  }

  private static func failure(errno code: CInt) -> TransportFailure {
    switch code {
    case ECONNREFUSED: .refused
    case ETIMEDOUT: .timeout
    case ECONNRESET, EPIPE, ECONNABORTED: .closedEarly
    default: .unreachable
    }
  }

  private static func failure(of error: HTTPClientError) -> TransportFailure {
    switch error {
    case .connectTimeout, .deadlineExceeded, .readTimeout, .writeTimeout, .tlsHandshakeTimeout,
      .getConnectionFromPoolTimeout:
      .timeout
    case .remoteConnectionClosed, .uncleanShutdown: .closedEarly
    case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath: .badAddress
    case let error
    where error.shortDescription == HTTPClientError.unsupportedScheme("").shortDescription:
      .badAddress
    default: .broken
    }
  }
}

/// Pieces of a body on their way: one at a time, so that no more than that is in memory.
private actor PieceChannel: AsyncSequence {
  typealias Element = ByteBuffer

  private var waiting: ByteBuffer?
  private var end: Result<Void, any Error>?
  private var taker: CheckedContinuation<Void, Never>?
  private var giver: CheckedContinuation<Void, Never>?
  private var isAbandoned = false

  /// Offers a piece, and waits until the reader takes it. Returns false if the reader has
  /// stopped.
  func offer(_ piece: ByteBuffer) async -> Bool {
    waiting = piece
    wakeTaker()
    while waiting != nil, !isAbandoned {
      await withCheckedContinuation { giver = $0 }
    }
    return !isAbandoned
  }

  /// Ends the body, or breaks it off.
  func finish(_ error: (any Error)?) {
    end = error.map { .failure($0) } ?? .success(())
    wakeTaker()
  }

  fileprivate func take() async throws -> ByteBuffer? {
    while true {
      if let piece = waiting {
        waiting = nil
        wakeGiver()
        return piece
      }
      if let end {
        try end.get()
        return nil
      }
      await withCheckedContinuation { taker = $0 }
    }
  }

  fileprivate func abandon() {
    isAbandoned = true
    wakeGiver()
  }

  private func wakeTaker() {
    taker?.resume()
    taker = nil
  }

  private func wakeGiver() {
    giver?.resume()
    giver = nil
  }

  nonisolated func makeAsyncIterator() -> Iterator { Iterator(Reader(self)) }

  struct Iterator: AsyncIteratorProtocol {
    private let reader: Reader

    fileprivate init(_ reader: Reader) { self.reader = reader }

    mutating func next() async throws -> ByteBuffer? { try await reader.channel.take() }
  }

  /// The reader; when it ends, unread pieces are dropped.
  fileprivate final class Reader: Sendable {
    let channel: PieceChannel

    init(_ channel: PieceChannel) { self.channel = channel }

    deinit { Task { [channel] in await channel.abandon() } }
  }
}
#endif
#endif

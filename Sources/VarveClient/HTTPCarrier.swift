#if Client || canImport(Darwin)
/// A request to a server.
struct CarriedRequest: Sendable {
  var method: String
  var url: String
  var headers: [(name: String, value: String)] = []
  /// The bytes of the body; nil if it has none, or if it is streamed.
  var body: [UInt8]?
  /// The number of seconds in which the head of the reply must arrive.
  var seconds: Int64 = 60
}

/// The reply of a server, as far as it has arrived.
struct CarriedReply {
  let status: Int
  /// The headers, with names in lower case.
  let headers: [String: String]
  /// Returns the next bytes of the body; nil at its end.
  let next: () async throws -> [UInt8]?

  /// Returns the rest of the body.
  ///
  /// - Throws: `ReplyTooLarge` beyond a number of bytes.
  func body(atMost limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let part = try await next() {
      bytes += part
      guard bytes.count <= limit else { throw ReplyTooLarge() }
    }
    return bytes
  }
}

/// A reply exceeds the maximum size for its request.
struct ReplyTooLarge: Error {}

/// The transport of requests to a server: the only part that depends on the operating system.
protocol HTTPCarrier: Sendable {
  /// Sends a request.
  func send(_ request: CarriedRequest) async throws -> CarriedReply

  /// Sends a request whose body is made of what `next` returns until it returns nil.
  func send(
    _ request: CarriedRequest,
    body next: () async throws -> [UInt8]?
  ) async throws -> CarriedReply

  /// Returns what an error of this carrier means.
  func failure(of error: any Error) -> TransportFailure
}
#endif

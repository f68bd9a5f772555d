#if Client || canImport(Darwin)
#if canImport(Darwin)
import Foundation

/// Carries requests by URLSession.
struct SystemCarrier: HTTPCarrier {
  func send(_ request: CarriedRequest) async throws -> CarriedReply {
    try await send(try URLRequest(request))
  }

  func send(
    _ request: CarriedRequest,
    body next: () async throws -> [UInt8]?
  ) async throws -> CarriedReply {
    // A commit may be larger than what a process may have in memory.
    let file = try CarriedFile(in: FileManager.default.temporaryDirectory)
    try await file.write(next)
    var carried = try URLRequest(request)
    carried.httpBodyStream = InputStream(url: file.url)
    // The file must be there until the request is sent.
    defer { withExtendedLifetime(file) {} }
    return try await send(carried)
  }

  private func send(_ request: URLRequest) async throws -> CarriedReply {
    let (bytes, response) = try await URLSession.shared.bytes(
      for: request,
      delegate: NoRedirection()
    )
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    let headers = response.headersInLowerCase
    let hasEvents = headers["content-type"]?.hasPrefix("text/event-stream") == true
    var iterator = bytes.makeAsyncIterator()
    return CarriedReply(status: response.statusCode, headers: headers) {
      var part: [UInt8] = []
      while part.count < 1 << 16, let byte = try await iterator.next() {
        part.append(byte)
        // An event ends with an empty line, and the next one may be hours away.
        if hasEvents, byte == 0x0A { break }
      }
      return part.isEmpty ? nil : part
    }
  }

  func failure(of error: any Error) -> TransportFailure {
    guard let error = error as? URLError else { return .broken }
    return switch error.code {
    case .badURL, .unsupportedURL: .badAddress
    case .cannotFindHost, .dnsLookupFailed: .unknownHost
    case .cannotConnectToHost: .refused
    case .notConnectedToInternet: .unreachable
    case .timedOut: .timeout
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
      .untrusted
    case .badServerResponse, .cannotParseResponse: .notHTTP
    case .networkConnectionLost: .closedEarly
    default: .broken
    }
  }
}

extension URLRequest {
  /// A request without its body's stream.
  init(_ request: CarriedRequest) throws {
    guard let url = URL(string: request.url) else { throw URLError(.badURL) }
    self.init(url: url, timeoutInterval: TimeInterval(request.seconds))
    httpMethod = request.method
    for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
    if let body = request.body { httpBody = Data(body) }
  }
}

extension HTTPURLResponse {
  /// The headers, with names in lower case.
  var headersInLowerCase: [String: String] {
    var headers: [String: String] = [:]
    for case (let name as String, let value as String) in allHeaderFields {
      headers[name.lowercased()] = value
    }
    return headers
  }
}

/// Follows no redirection: a request, and the token with it, goes to the host that the user wrote
/// and to no other.
private final class NoRedirection: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? { nil }
}
#endif
#endif

#if Client || canImport(Darwin)
#if canImport(Darwin)
import Foundation

/// Carries requests by URLSession.
struct SystemCarrier: HTTPCarrier {
  func send(_ request: CarriedRequest) async throws -> CarriedReply {
    guard let url = URL(string: request.url) else { throw URLError(.badURL) }
    var carried = URLRequest(url: url)
    carried.httpMethod = request.method
    carried.timeoutInterval = TimeInterval(request.seconds)
    for (name, value) in request.headers { carried.setValue(value, forHTTPHeaderField: name) }
    if let body = request.body { carried.httpBody = Data(body) }
    let (bytes, response) = try await URLSession.shared.bytes(
      for: carried,
      delegate: NoRedirection()
    )
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    var headers: [String: String] = [:]
    for case (let name as String, let value as String) in response.allHeaderFields {
      headers[name.lowercased()] = value
    }
    var iterator = bytes.makeAsyncIterator()
    return CarriedReply(status: response.statusCode, headers: headers) {
      var part: [UInt8] = []
      while part.count < 1 << 16, let byte = try await iterator.next() {
        part.append(byte)
        // An event ends with an empty line.
        if byte == 0x0A { break }
      }
      return part.isEmpty ? nil : part
    }
  }

  func send(
    _ request: CarriedRequest,
    body next: () async throws -> [UInt8]?
  ) async throws -> CarriedReply {
    var request = request
    var body: [UInt8] = []
    while let piece = try await next() { body += piece }
    request.body = body
    return try await send(request)
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

import Foundation
import VarveCore

extension HTTPTransport {
  /// The most bytes of a document.
  private static let documentByteCount = 64 << 20

  /// Sends a request without a body and returns the document of the reply.
  func document<Document: Decodable>(
    _ method: String,
    _ path: String,
    as type: Document.Type
  ) async throws -> Document {
    let reply = try await requested(method, path, accept: "application/json")
    let bytes = try await carried { try await reply.body(atMost: Self.documentByteCount) }
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch {
      throw VarveError(
        .inputOutput,
        "the server's reply cannot be read: \(error)",
        at: "\(url)/\(path)",
        remedy: "Check that the address is one of varve serve."
      )
    }
  }

  /// Sends a request without a body. Returns the reply as soon as its head has arrived.
  func requested(
    _ method: String,
    _ path: String,
    accept: String,
    headers: [(name: String, value: String)] = [],
    seconds: Int64 = 600
  ) async throws -> CarriedReply {
    let address = path.isEmpty ? url : "\(url)/\(path)"
    var request = CarriedRequest(method: method, url: address, seconds: seconds)
    request.headers = [("Accept", accept)] + headers
    if let token { request.headers.append(("Authorization", "Bearer \(token)")) }
    return try await accepted(try await carried { try await carrier.send(request) })
  }
}

#if Client || canImport(Darwin)
import Foundation
import VarveCore

extension HTTPTransport {
  /// The most bytes of a document.
  private static let documentByteCount = 64 << 20

  /// Sends a request and returns the document of the reply.
  ///
  /// - Parameter body: a document to send; nil for none.
  func document<Document: Decodable>(
    _ method: String,
    _ path: String,
    _ body: [UInt8]? = nil,
    as type: Document.Type
  ) async throws -> Document {
    let reply = try await requested(method, path, accept: "application/json", body: body)
    let bytes = try await carried { try await reply.body(atMost: Self.documentByteCount) }
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch {
      throw VarveError(
        .inputOutput,
        "the server's reply is none of a server of Varve",
        at: "\(url)/\(path)",
        remedy: "Check that the address is one of varve serve."
      )
    }
  }

  /// Sends a request. Returns the reply as soon as its head has arrived.
  ///
  /// - Parameter body: a document in JSON; nil for none.
  func requested(
    _ method: String,
    _ path: String,
    accept: String,
    headers: [(name: String, value: String)] = [],
    body: [UInt8]? = nil,
    seconds: Int64 = 600
  ) async throws -> CarriedReply {
    let address = path.isEmpty ? url : "\(url)/\(path)"
    var request = CarriedRequest(method: method, url: address, seconds: seconds)
    request.headers = [("Accept", accept)] + headers
    request.body = body
    if body != nil { request.headers.append(("Content-Type", "application/json")) }
    if let token { request.headers.append(("Authorization", "Bearer \(token)")) }
    return try await accepted(try await carried { try await carrier.send(request) })
  }
}
#endif

#if Client || canImport(Darwin)
import Foundation
import VarveCore
import VarveSync

/// A refusal of a server, and when to try again.
struct ServerRefusal: RefusedRequest {
  let status: Int
  let error: VarveError
  /// What the server asks for, in seconds.
  var retryAfter: Double?
}

/// Carries the requests of a synchronisation over HTTP.
struct HTTPTransport: SpaceTransport {
  let carrier: any HTTPCarrier
  let url: String
  let token: String?
  /// Whether the requests are those of a store of a sealed space.
  var isSealed = false

  private static let contentType = SyncMediaType.text
  /// The maximum size of a reply without commits, in bytes.
  private static let replyByteCount = 64 << 20
  /// The maximum size of a reply about a membership: a log, and what goes with it.
  private static let sealedByteCount = 96 << 20

  init(_ carrier: any HTTPCarrier, url: String, token: String?) {
    self.carrier = carrier
    self.url = url
    self.token = token
  }

  func compare(_ request: CompareRequest) async throws -> CompareAnswer {
    let reply = try await send("POST", "compare", request.encoded)
    var answer = try CompareAnswer(encoded: try await body(of: reply))
    answer.isAdmin = reply.headers[SyncMediaType.roleHeader.lowercased()].map { $0 == "admin" }
    return answer
  }

  func sealed(_ request: [UInt8]) async throws -> [UInt8] {
    try await body(of: try await send("POST", "sealed", request), atMost: Self.sealedByteCount)
  }

  func want(
    _ request: WantRequest,
    of space: SpaceID,
    _ body: ([UInt8]) async throws -> Void
  ) async throws {
    let reply = try await send("POST", "want", request.encoded, for: space)
    try await pass(reply, to: body)
  }

  func arrivals(
    after hint: SpacePosition,
    _ body: ([UInt8]) async throws -> Void
  ) async throws -> Bool {
    do {
      let reply = try await send("GET", "commits?after=\(hint.text)", nil)
      try await pass(reply, to: body)
      return true
    } catch let refusal as ServerRefusal where refusal.status == 409 {
      return false
    }
  }

  func give(
    to space: SpaceID,
    _ next: () async throws -> [UInt8]?
  ) async throws -> TakenAnswer {
    guard let first = try await next() else { return TakenAnswer() }
    let second = try await next()
    let reply: CarriedReply
    if let second {
      var early = [first, second][...]
      let request = self.request("POST", "commits", seconds: 3_600, for: space)
      reply = try await carried {
        try await carrier.send(request) {
          if let piece = early.popFirst() { return piece }
          return try await next()
        }
      }
    } else {
      reply = try await send("POST", "commits", first, for: space)
    }
    return try TakenAnswer(encoded: try await body(of: try await accepted(reply)))
  }

  /// Passes each announcement of the space to the body, until the connection ends.
  func live(_ body: (SpacePosition) async throws -> Void) async throws {
    let request = self.request("GET", "live", seconds: 30 * 86_400)
    let reply = try await accepted(try await carried { try await carrier.send(request) })
    var line: [UInt8] = []
    while let part = try await carried({ try await reply.next() }) {
      for byte in part {
        guard byte == 0x0A else {
          if line.count < 4_096 { line.append(byte) }
          continue
        }
        let text = String(decoding: line, as: UTF8.self)
        line = []
        if text.hasPrefix("data: "), let position = SpacePosition(String(text.dropFirst(6))) {
          try await body(position)
        }
      }
    }
  }

  // MARK: Carrying

  private func request(
    _ method: String,
    _ path: String,
    seconds: Int64 = 60,
    for space: SpaceID? = nil
  ) -> CarriedRequest {
    var request = CarriedRequest(method: method, url: "\(url)/\(path)", seconds: seconds)
    request.headers.append(("Accept", SyncMediaType.packed))
    if method == "POST" { request.headers.append(("Content-Type", Self.contentType)) }
    if let space { request.headers.append((SyncMediaType.spaceHeader, space.text)) }
    if isSealed { request.headers.append((SyncMediaType.sealedHeader, "1")) }
    if let token { request.headers.append(("Authorization", "Bearer \(token)")) }
    return request
  }

  private func send(
    _ method: String,
    _ path: String,
    _ body: [UInt8]?,
    for space: SpaceID? = nil
  ) async throws -> CarriedReply {
    var request = self.request(method, path, seconds: 600, for: space)
    request.body = body
    return try await accepted(try await carried { try await carrier.send(request) })
  }

  /// Runs what uses the network; its errors become those of a connection.
  func carried<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as VarveError {
      throw error
    } catch let error as CancellationError {
      throw error
    } catch {
      try Task.checkCancellation()
      let failure = error is ReplyTooLarge ? .tooLarge : carrier.failure(of: error)
      throw failure.error(at: url)
    }
  }

  private func body(
    of reply: CarriedReply,
    atMost byteCount: Int = replyByteCount
  ) async throws -> [UInt8] {
    try await carried { try await reply.body(atMost: byteCount) }
  }

  private func pass(_ reply: CarriedReply, to body: ([UInt8]) async throws -> Void) async throws {
    while let part = try await carried({ try await reply.next() }) { try await body(part) }
  }

  /// Returns a reply unless it is a refusal.
  func accepted(_ reply: CarriedReply) async throws -> CarriedReply {
    guard reply.status >= 300 else { return reply }
    let bytes = (try? await reply.body(atMost: 1 << 20)) ?? []
    let problem = try? JSONDecoder().decode(ProblemDocument.self, from: Data(bytes))
    let code = problem?.code.flatMap { VarveError.Code(rawValue: $0) }
    throw ServerRefusal(
      status: reply.status,
      error: VarveError(
        code ?? Self.code(of: reply.status),
        problem?.detail ?? "the server replied with the status \(reply.status)",
        at: Self.place(problem?.at) ?? url,
        remedy: problem?.remedy ?? Self.remedy(of: reply)
      ),
      retryAfter: reply.headers["retry-after"].flatMap { Double($0) }
    )
  }

  /// Returns the place that a reply names; nil for a part of the request, which its caller does not
  /// see.
  private static func place(_ text: String?) -> String? {
    let parts = ["head", "headers", "header", "query", "body", "path", "target"]
    let first = text?.prefix { $0 != " " && $0 != "," } ?? ""
    return parts.contains(String(first)) ? nil : text
  }

  private static func remedy(of reply: CarriedReply) -> String {
    guard (300..<400).contains(reply.status), let target = reply.headers["location"] else {
      return "Check the address of the space."
    }
    return "Redirections are not followed. Write the address of the space itself; "
      + "the reply names \(target.prefix(200).logged)"
  }

  private static func code(of status: Int) -> VarveError.Code {
    switch status {
    case 300..<400: .invalidArgument
    case 401: .unauthorized
    case 403: .forbidden
    case 404, 410: .notFound
    case 429, 502, 503, 504: .busy
    case 400..<500: .invalidArgument
    default: .inputOutput
    }
  }
}

/// The members of a server's problem document that are read.
private struct ProblemDocument: Decodable {
  var code: String?
  var detail: String?
  var at: String?
  var remedy: String?
}
#endif

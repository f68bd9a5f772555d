import VarveCore
import VarveStore
import VarveSync

/// A relay that is asked by requests, as over HTTP, and keeps nothing between them.
struct RequestedRelay: SpaceTransport {
  struct Lost: Error {}

  private let responder: SpaceResponder
  private let mayBegin: Bool
  /// Whether the next request or its reply is lost.
  private let losesRequest: @Sendable () -> Bool
  private let losesReply: @Sendable () -> Bool
  /// Changes a message about the membership.
  private let changes: @Sendable ([UInt8]) throws -> [UInt8]

  init(
    _ log: any CommitLog,
    mayBegin: Bool = true,
    losesRequest: @escaping @Sendable () -> Bool = { false },
    losesReply: @escaping @Sendable () -> Bool = { false },
    changes: @escaping @Sendable ([UInt8]) throws -> [UInt8] = { $0 }
  ) {
    responder = SpaceResponder(log)
    self.mayBegin = mayBegin
    self.losesRequest = losesRequest
    self.losesReply = losesReply
    self.changes = changes
  }

  private func carry<Result>(_ body: () async throws -> Result) async throws -> Result {
    guard !losesRequest() else { throw Lost() }
    let result = try await body()
    guard !losesReply() else { throw Lost() }
    return result
  }

  func sealed(_ request: [UInt8]) async throws -> [UInt8] {
    try await carry { try changes(await responder.sealed(request, mayBegin: mayBegin)) }
  }

  func compare(_ request: CompareRequest) async throws -> CompareAnswer {
    try await carry { try await responder.compare(request) }
  }

  func want(
    _ request: WantRequest,
    of space: SpaceID,
    _ body: ([UInt8]) async throws -> Void
  ) async throws {
    let part = try await carry {
      try await responder.require(space)
      return try await responder.part(request, packed: true)
    }
    try await body(part.head.encoded + part.records)
  }

  func arrivals(
    after hint: SpacePosition,
    _ body: ([UInt8]) async throws -> Void
  ) async throws -> Bool { false }

  func give(to space: SpaceID, _ next: () async throws -> [UInt8]?) async throws -> TakenAnswer {
    try await responder.require(space)
    var intake = try await responder.intake()
    while let part = try await next() { try await intake.add(part) }
    return try await carry { [intake] in
      var intake = intake
      return try await intake.finish()
    }
  }
}

extension Store {
  /// Synchronises with a relay by requests.
  @discardableResult
  func sync(asking relay: RequestedRelay) async throws -> SyncReport {
    var exchange = SpaceExchange(try sharedLog(), relay)
    return try await exchange.run().report
  }
}

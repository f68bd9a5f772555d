package import VarveCore

/// The requests that a client sends to a space, one at a time. The transport is not specified:
/// it is HTTP, or a test that loses, repeats and cuts messages. Parts are requested with small
/// commits packed.
package protocol SpaceTransport: Sendable {
  /// Passes on a round of an exchange of memberships of a sealed space, and returns the reply.
  func sealed(_ request: [UInt8]) async throws -> [UInt8]

  /// Compares what is here with what is there.
  func compare(_ request: CompareRequest) async throws -> CompareAnswer

  /// Passes the bytes of a part of commits to the body, as they arrive. A space with another id
  /// refuses.
  func want(
    _ request: WantRequest,
    of space: SpaceID,
    _ body: ([UInt8]) async throws -> Void
  ) async throws

  /// Passes the bytes of commits that arrived after a position to the body.
  ///
  /// - Returns: false if the space never had the position.
  func arrivals(
    after hint: SpacePosition,
    _ body: ([UInt8]) async throws -> Void
  ) async throws -> Bool

  /// Hands commits to the space, as records; `next` returns pieces of them until it returns nil. A
  /// space with another id refuses them: the address may have become another's meanwhile, and a
  /// request may arrive late.
  func give(
    to space: SpaceID,
    _ next: () async throws -> [UInt8]?
  ) async throws -> TakenAnswer
}

/// The form of the requests and replies of a synchronisation over HTTP.
package enum SyncMediaType {
  /// The content type of bodies that are made of records, and of those that compare.
  package static let text = "application/vnd.varve.sync"
  /// What clients that read packed commits accept.
  package static let packed = "application/vnd.varve.sync; packed=1"
  /// The header with the id of the space that a request is for.
  package static let spaceHeader = "Varve-Space"
  /// The header of every request from a store of a sealed space; its value is `1`.
  package static let sealedHeader = "Varve-Sealed"
  /// The header of a comparison's reply with the role that the client has in the space.
  package static let roleHeader = "Varve-Role"
}

/// An error of a transport: the space refuses a request.
package protocol RefusedRequest: Error {
  /// Why.
  var error: VarveError { get }
}

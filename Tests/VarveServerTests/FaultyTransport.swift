#if CommandLine && Server
import Synchronization
import VarveCore
import VarveSync
import VarveTestSupport

/// Carries requests to a space in this process, and loses, repeats, delays and cuts them.
final class FaultyTransport: SpaceTransport {
  /// The fault of a request.
  enum Fault: CaseIterable {
    case none
    /// The request does not arrive.
    case lostRequest
    /// The request is served, and the reply does not arrive.
    case lostReply
    /// The request is served twice.
    case repeated
    /// An earlier request of the same kind is served again, before this one.
    case late
    /// The body ends early, in the request or the reply.
    case cut
  }

  struct Lost: Error {}

  private let responder: @Sendable () -> SpaceResponder
  private let fault: @Sendable () -> Fault
  private let between: @Sendable () async throws -> Void
  private let random: Mutex<SplitMix64>
  private let earlier = Mutex<[UInt8]?>(nil)
  /// The commits that the space acknowledged.
  let acknowledged = Mutex<Set<CommitID>>([])
  /// The number of bytes of commits that were handed over.
  let givenByteCount = Mutex(0)
  /// Whether the client reads packed commits.
  private let packed: Bool

  /// - Parameters:
  ///   - responder: the space, which a restart replaces.
  ///   - fault: the fault of the next request.
  ///   - between: what happens between two requests.
  init(
    seed: UInt64,
    packed: Bool = true,
    _ responder: @escaping @Sendable () -> SpaceResponder,
    fault: @escaping @Sendable () -> Fault,
    between: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.packed = packed
    self.responder = responder
    self.fault = fault
    self.between = between
    random = Mutex(SplitMix64(seed: seed))
  }

  private func cut(_ bytes: [UInt8]) -> [UInt8] {
    let count = random.withLock { Int.random(in: 0..<max(1, bytes.count), using: &$0) }
    return Array(bytes[..<count])
  }

  func sealed(_ request: [UInt8]) async throws -> [UInt8] {
    try await between()
    let fault = fault()
    guard fault != .lostRequest else { throw Lost() }
    if fault == .repeated { _ = try await responder().sealed(request, mayBegin: true) }
    let reply = try await responder().sealed(request, mayBegin: true)
    guard fault != .lostReply else { throw Lost() }
    return fault == .cut ? cut(reply) : reply
  }

  func compare(_ request: CompareRequest) async throws -> CompareAnswer {
    try await between()
    let fault = fault()
    guard fault != .lostRequest else { throw Lost() }
    let decoded = try CompareRequest(encoded: request.encoded)
    if fault == .repeated { _ = try await responder().compare(decoded) }
    let answer = try await responder().compare(decoded).encoded
    guard fault != .lostReply else { throw Lost() }
    return try CompareAnswer(encoded: fault == .cut ? cut(answer) : answer)
  }

  func want(
    _ request: WantRequest,
    of space: SpaceID,
    _ body: ([UInt8]) async throws -> Void
  ) async throws {
    try await between()
    let fault = fault()
    guard fault != .lostRequest else { throw Lost() }
    let decoded = try WantRequest(encoded: request.encoded)
    try await responder().require(space)
    try await pass(try await responder().part(decoded, packed: packed), fault, body)
  }

  func arrivals(
    after hint: SpacePosition,
    _ body: ([UInt8]) async throws -> Void
  ) async throws -> Bool {
    try await between()
    let fault = fault()
    guard fault != .lostRequest else { throw Lost() }
    guard let decoded = SpacePosition(hint.text) else { throw Lost() }
    guard let part = try await responder().part(after: decoded, packed: packed) else {
      return false
    }
    try await pass(part, fault, body)
    return true
  }

  private func pass(
    _ part: SpaceResponder.Part,
    _ fault: Fault,
    _ body: ([UInt8]) async throws -> Void
  ) async throws {
    guard fault != .lostReply else { throw Lost() }
    var bytes = part.head.encoded + part.records
    if let large = part.large {
      var index = 0
      while index < large.header.blockCount {
        let (records, next) = try await responder().blocks(of: large.id, from: index)
        bytes += records
        index = next
      }
    }
    if fault == .cut { bytes = cut(bytes) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = random.withLock { Int.random(in: 1...max(1, rest.count), using: &$0) }
      try await body(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
  }

  func give(
    to space: SpaceID,
    _ next: () async throws -> [UInt8]?
  ) async throws -> TakenAnswer {
    try await between()
    let fault = fault()
    var bytes: [UInt8] = []
    while let part = try await next() { bytes += part }
    givenByteCount.withLock { $0 += bytes.count }
    guard fault != .lostRequest else { throw Lost() }
    if fault == .late, let before = earlier.withLock({ $0 }) { _ = try? await take(before) }
    earlier.withLock { $0 = bytes }
    if fault == .repeated { _ = try await take(bytes) }
    try await responder().require(space)
    let answer = try await take(fault == .cut ? cut(bytes) : bytes)
    guard fault != .lostReply else { throw Lost() }
    let decoded = try TakenAnswer(encoded: answer.encoded)
    acknowledged.withLock { $0.formUnion(decoded.durable) }
    return decoded
  }

  private func take(_ bytes: [UInt8]) async throws -> TakenAnswer {
    var intake = try await responder().intake()
    try await intake.add(bytes)
    return try await intake.finish()
  }
}
#endif

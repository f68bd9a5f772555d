import Synchronization
import VarveCore
import VarveSync

/// Carries the requests of one exchange to the simulated server: it loses requests and replies,
/// repeats requests, and cuts bodies. Between a request and its effect, and its effect and the
/// reply, anything else may happen.
final class SimulatedNetwork: SpaceTransport {
  /// What befalls a request.
  enum Mishap: CaseIterable {
    case lostRequest
    case lostReply
    case repeated
    case cut
  }

  /// The connection broke.
  struct Lost: Error {}

  private let server: SimulatedServer
  private let client: Int
  private let gate: TurnGate
  private let random: Mutex<SplitMix64>
  private let mishaps: Int
  private let isCut = Mutex(false)
  /// Whether the client reads packed commits, as versions since 2026 do.
  private let packed: Bool

  /// - Parameter mishaps: the percentage of requests that something befalls.
  init(_ server: SimulatedServer, from client: Int, _ gate: TurnGate, seed: UInt64, mishaps: Int) {
    self.server = server
    self.client = client
    self.gate = gate
    self.mishaps = mishaps
    var random = SplitMix64(seed: seed)
    packed = random.chance(70)
    self.random = Mutex(random)
  }

  /// Ends the connection for good.
  func cut() { isCut.withLock { $0 = true } }

  // MARK: Requests

  func sealed(_ request: [UInt8]) async throws -> [UInt8] {
    try await carry { try await $0.responder().sealed(request, mayBegin: true) }
  }

  func compare(_ request: CompareRequest) async throws -> CompareAnswer {
    let decoded = try CompareRequest(encoded: request.encoded)
    let bytes = try await carry { server in
      try await server.responder().compare(decoded).encoded
    }
    return try CompareAnswer(encoded: bytes)
  }

  func want(
    _ request: WantRequest,
    of space: SpaceID,
    _ body: ([UInt8]) async throws -> Void
  ) async throws {
    let decoded = try WantRequest(encoded: request.encoded)
    let bytes = try await carry { server in
      try await server.require(space)
      return try await server.bytes(of: try await server.responder().part(decoded, packed: packed))
    }
    try await deliver(bytes, body)
  }

  func arrivals(
    after hint: SpacePosition,
    _ body: ([UInt8]) async throws -> Void
  ) async throws -> Bool {
    guard let decoded = SpacePosition(hint.text) else { throw Lost() }
    let isKnown = Mutex(true)
    let bytes = try await carry { server in
      guard let part = try await server.responder().part(after: decoded, packed: packed) else {
        isKnown.withLock { $0 = false }
        return []
      }
      return try await server.bytes(of: part)
    }
    guard isKnown.withLock({ $0 }) else { return false }
    try await deliver(bytes, body)
    return true
  }

  func give(
    to space: SpaceID,
    _ next: () async throws -> [UInt8]?
  ) async throws -> TakenAnswer {
    var bytes: [UInt8] = []
    while let part = try await next() { bytes += part }
    let mishap = mishap()
    do {
      try await turn()
      guard mishap != .lostRequest else { throw lost() }
      let arriving = mishap == .cut ? begun(bytes) : bytes
      if mishap == .repeated { _ = try await server.take(arriving, for: space, from: client) }
      let answer = try await server.take(arriving, for: space, from: client)
      let goBackCount = server.note { $0.tally.goBackCount }
      try await turn()
      guard mishap != .lostReply, mishap != .cut else { throw lost() }
      let decoded = try TakenAnswer(encoded: answer.encoded)
      server.note { $0.acknowledge(decoded.durable, by: goBackCount) }
      return decoded
    } catch is Lost where server.fault == .failuresForgotten && !isCut.withLock({ $0 }) {
      var answer = TakenAnswer()
      answer.durable = SimulatedServer.commits(in: bytes)
      return answer
    }
  }

  // MARK: Mishaps

  private func mishap() -> Mishap? {
    random.withLock { random in
      random.chance(mishaps) ? random.pick(Mishap.allCases) : nil
    }
  }

  private func lost() -> Lost {
    server.note { $0.tally.lostCount += 1 }
    return Lost()
  }

  /// Lets others go on.
  private func turn() async throws {
    await gate.wait()
    guard !isCut.withLock({ $0 }) else { throw Lost() }
  }

  private func begun(_ bytes: [UInt8]) -> [UInt8] {
    server.note { $0.tally.cutCount += 1 }
    return Array(
      bytes.prefix(random.withLock { Int.random(in: 0..<max(1, bytes.count), using: &$0) })
    )
  }

  /// Carries a request without effects.
  private func carry(
    _ body: (SimulatedServer) async throws -> [UInt8]
  ) async throws -> [UInt8] {
    let mishap = mishap()
    try await turn()
    guard mishap != .lostRequest else { throw lost() }
    if mishap == .repeated { _ = try await body(server) }
    let bytes = try await body(server)
    try await turn()
    guard mishap != .lostReply else { throw lost() }
    guard mishap == .cut else { return bytes }
    let beginning = begun(bytes)
    return server.fault == .cutsTakenForWhole ? try Self.mended(beginning) : beginning
  }

  /// Passes bytes on as they arrive.
  private func deliver(
    _ bytes: [UInt8],
    _ body: ([UInt8]) async throws -> Void
  ) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let (count, isSlow) = random.withLock { random in
        (Int.random(in: 1...rest.count, using: &random), random.chance(30))
      }
      try await body(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
      if isSlow, !rest.isEmpty { try await turn() }
    }
  }

  /// Makes a whole part of one that was cut.
  private static func mended(_ bytes: [UInt8]) throws -> [UInt8] {
    guard let (head, count) = try PartHead.read(bytes) else { return bytes }
    var intake = RecordIntake()
    _ = try intake.add(bytes.dropFirst(count))
    var whole = head
    whole.commitCount = intake.completeCount
    return whole.encoded + bytes.dropFirst(count)
  }
}

import VarveCore

/// The exchange of memberships between two logs of a sealed space, before that of commits.
struct SealedExchange {
  private let log: any CommitLog
  private var correspondence: any SealedCorrespondence
  private var roundCount = 0

  /// How much had passed when rounds began to be counted.
  private var progress = 0

  /// The number of rounds in which nothing passes, after which something is wrong.
  private static let roundLimit = 64

  /// Begins an exchange; nil if the log knows no sealed spaces.
  init?(_ log: any CommitLog) {
    guard let sealing = log.sealing else { return nil }
    self.log = log
    correspondence = sealing.correspondence()
  }

  /// Whether neither side has anything new.
  var hasEnded: Bool { correspondence.hasEnded }

  /// Whether commits may follow.
  var mayExchangeCommits: Bool { correspondence.mayExchangeCommits }

  /// Returns the message of the next round.
  mutating func message() async throws -> [UInt8] {
    try await nextRound { try $0.message($1) }
  }

  /// Returns the request of the next round, to a space that keeps nothing between requests.
  mutating func request() async throws -> [UInt8] {
    try await nextRound { try $0.request($1) }
  }

  private mutating func nextRound(
    _ body: (inout any SealedCorrespondence, any SealedDesk) throws -> [UInt8]
  ) async throws -> [UInt8] {
    if correspondence.progress > progress {
      (progress, roundCount) = (correspondence.progress, 0)
    }
    roundCount += 1
    guard roundCount <= Self.roundLimit else {
      throw Frame.damaged("the memberships do not come to rest")
    }
    let begun = correspondence
    let (message, next) = try await log.atDesk { desk in
      var correspondence = begun
      return (try body(&correspondence, desk), correspondence)
    }
    correspondence = next
    return message
  }

  /// Takes the other side's message.
  mutating func take(_ message: [UInt8]) async throws {
    let begun = correspondence
    correspondence = try await log.atDesk { desk in
      var correspondence = begun
      try correspondence.take(message, desk)
      return correspondence
    }
  }
}

extension SealedExchange {
  /// Exchanges memberships with another log of this process.
  ///
  /// - Returns: whether commits may follow.
  static func run(_ here: any CommitLog, _ there: any CommitLog) async throws -> Bool {
    guard var one = SealedExchange(here), var two = SealedExchange(there) else {
      guard here.sealing == nil, there.sealing == nil else { throw VarveError.sealedMeetsOpen }
      return true
    }
    while !one.hasEnded || !two.hasEnded {
      let (sent, received) = (try await one.message(), try await two.message())
      try await one.take(received)
      try await two.take(sent)
    }
    return one.mayExchangeCommits && two.mayExchangeCommits
  }

  /// Takes the membership of another log of this process, and gives it nothing.
  ///
  /// The other log signs what was written to it, unless it is only read.
  ///
  /// - Returns: whether commits may follow.
  static func take(_ here: any CommitLog, from there: any CommitLog) async throws -> Bool {
    guard let sealing = here.sealing, let other = there.sealing else {
      throw VarveError.sealedMeetsOpen
    }
    let publication = try await publication(of: there, other)
    return try await here.atDesk { desk in
      var correspondence = sealing.publishing()
      try correspondence.take(publication: publication, desk)
      return correspondence.belongsToSpace
    }
  }

  private static func publication(
    of log: any CommitLog,
    _ sealing: any SpaceSealing
  ) async throws -> [UInt8] {
    func publish(_ desk: any SealedDesk, mayWrite: Bool) throws -> [UInt8] {
      var correspondence = sealing.publishing()
      return try correspondence.publication(after: nil, mayWrite: mayWrite, desk)
    }
    do {
      return try await log.atDesk { try publish($0, mayWrite: true) }
    } catch let error as VarveError where error.code == .readOnly {
      return try await log.readingDesk { try publish($0, mayWrite: false) }
    }
  }

  /// Exchanges memberships over a connection.
  ///
  /// - Parameters:
  ///   - tag: the number of this side's session.
  ///   - channel: sends frames.
  ///   - arrivals: the frames that arrive.
  ///   - took: called with the size of each frame that was taken.
  /// - Returns: whether commits may follow.
  mutating func run(
    _ tag: UInt64,
    _ channel: any FrameChannel,
    _ arrivals: inout AsyncStream<[UInt8]>.AsyncIterator,
    took: (Int) -> Void
  ) async throws -> Bool {
    var number: UInt64 = 0
    do {
      while !hasEnded {
        for frame in SealedFrames.frames(of: try await message(), tag, &number) {
          try await channel.send(frame)
        }
        var arriving = SealedFrames()
        while !arriving.isComplete {
          guard let frame = await arrivals.next(isolation: #isolation) else {
            throw Self.connectionEnded
          }
          try Task.checkCancellation()
          took(frame.count)
          try arriving.add(Frame(encoded: frame))
        }
        try await take(arriving.message)
      }
    } catch let error as VarveError {
      let farewell = Message.error(code: error.code.rawValue, message: error.message)
      try? await channel.send(
        Frame(session: tag, number: number, kind: .error, body: farewell.body).encoded
      )
      throw error
    }
    return mayExchangeCommits
  }

  private static var connectionEnded: VarveError {
    VarveError(
      .inputOutput,
      "the connection ended while the membership of the space was exchanged",
      remedy: "Synchronise again."
    )
  }
}

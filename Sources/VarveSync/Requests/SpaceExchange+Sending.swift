import VarveCore

extension SpaceExchange {
  /// Sends what the space lacks, unless this side may only read there. Returns why it may not: what the
  /// space has can be fetched all the same.
  mutating func sendIfAllowed(_ show: (SyncProgress) -> Void) async throws -> (any Error)? {
    do {
      try await send(show)
      return nil
    } catch {
      let known = error as? VarveError ?? (error as? any RefusedRequest)?.error
      guard known?.code == .forbidden else { throw error }
      return error
    }
  }

  /// Sends what the space lacks, part by part.
  mutating func send(_ show: (SyncProgress) -> Void) async throws {
    progress.toSendCount = try await log.commitCount(beyond: outgoing.cover.frontier)
    while true {
      let items = try await log.items(
        beyond: outgoing.cover.frontier,
        atMost: limits.part,
        wholeUpTo: limits.whole,
        outline: nil
      )
      guard !items.isEmpty else { return }
      var part: [Commit] = []
      var hasNews = false
      for item in items {
        if case .large = item {
          // Whether it can be sent may depend on what becomes of the commits before it.
          try await give(part)
          part = []
        }
        guard let decision = outgoing.decide(item, &report) else { continue }
        hasNews = true
        switch decision {
        case .send(let commit): part.append(commit)
        case .sendLarge(let commit): try await give(large: commit)
        case .park, .holdBack: break
        }
      }
      try await give(part)
      progress.sentCount = report.sentCount
      show(progress)
      if !hasNews { return }
    }
  }

  private mutating func give(_ commits: [Commit]) async throws {
    guard !commits.isEmpty else { return }
    var writer = CommitStreamWriter(packs: takesPacked)
    for commit in commits { writer.add(commit) }
    var bytes: [UInt8]? = writer.take()
    let byteCount = bytes?.count ?? 0
    let answer = try await transport.give(to: theSpace) {
      defer { bytes = nil }
      return bytes
    }
    note(answer, of: commits, byteCount)
  }

  private mutating func give(large commit: Commit) async throws {
    var writer = CommitStreamWriter()
    writer.add(commit)
    var first: [UInt8]? = writer.take()
    var index = 0
    var byteCount = 0
    let answer = try await transport.give(to: theSpace) { [log, limits] in
      if let head = first {
        first = nil
        byteCount += head.count
        return head
      }
      guard index < commit.header.blockCount else { return nil }
      let blocks = try await log.blocks(of: commit.id, from: index, atMost: limits.part)
      guard !blocks.isEmpty else { throw commit.damaged("block \(index) cannot be read") }
      index += blocks.count
      var writer = CommitStreamWriter()
      for block in blocks { writer.add(block) }
      byteCount += writer.count
      return writer.take()
    }
    note(answer, of: [commit], byteCount)
  }

  private mutating func note(_ answer: TakenAnswer, of commits: [Commit], _ byteCount: Int) {
    let durable = Set(answer.durable)
    report.sentByteCount += byteCount
    // Sent commits need not be fetched if nothing else arrived in between.
    if let from = answer.from, from == place { place = answer.to }
    report.parkedThere += answer.parked
    for commit in commits {
      outgoing.cover.insert(commit)
      if durable.contains(commit.id) {
        report.sentCount += 1
      } else {
        // It is asked about again by the next exchange.
        outgoing.block(commit.id)
        if !answer.parked.contains(where: { $0.commit == commit.id }) {
          report.heldBackCount += 1
        }
      }
    }
  }
}

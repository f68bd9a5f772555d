import Foundation
package import VarveCore

extension SQLiteBackend {
  package func check(
    _ progress: @Sendable (CheckProgress) -> Void
  ) async throws -> CheckReport {
    try await inspecting { session in
      let checker = try Checker(session)
      return try checker.check(progress)
    }
  }
}

/// Checks a store: the file, the log, and everything derived from the log.
///
/// - Complexity: O(log), and temporary disk space of the size of the store.
final class Checker {
  let session: Session
  var report = CheckReport()
  /// The checks for the rows of each type, by the type's number.
  var rowChecks: [Int64: RowCheck] = [:]
  /// The maximum number of findings that are listed.
  static let findingCapacity = 100

  init(_ session: Session) throws { self.session = session }

  func find(_ what: String) {
    if report.findings.count < Self.findingCapacity {
      report.findings.append(what)
    } else if report.findings.count == Self.findingCapacity {
      report.findings.append("further findings are not listed")
    }
  }

  func check(_ progress: (CheckProgress) -> Void) throws -> CheckReport {
    try checkFile()
    let numbers = try session.log.commitNumbers()
    let identities = try session.connection.integer("SELECT count(*) FROM varve_identity") ?? 0
    let total = numbers.count + Int(identities)
    try checkChains()
    try checkStorageClasses()
    try checkNumbers(numbers)
    try checkMeta()
    try checkCatalogue()
    try checkWords()
    try checkVerdicts()
    let shadow = try Shadow(of: session)
    var chains: [Int64: CommitInfo] = [:]
    var isReadable = true
    for (index, n) in numbers.enumerated() {
      try session.requireRunning()
      do {
        try checkCommit(n, &chains)
        if isReadable { try shadow.replay(n) }
      } catch let error as VarveError {
        find(error.description)
        isReadable = false
      }
      progress(CheckProgress(done: index + 1, total: total))
    }
    if isReadable {
      try compare(with: shadow.session) { compared in
        progress(CheckProgress(done: min(numbers.count + compared, total), total: total))
      }
      try checkFormerLinks()
      try checkLiveness()
      try checkTouchedRows()
      try checkOrder()
    }
    try shadow.close()
    return report
  }

  private func checkFile() throws {
    let statement = try session.connection.ownStatement("PRAGMA integrity_check(10)")
    while try statement.step() {
      let text = statement.text(0)
      if text != "ok" { find("SQLite reports: \(text)") }
    }
  }

  /// Checks that each chain that branches from another names an existing one.
  private func checkChains() throws {
    for chain in try session.log.chains.values.sorted(by: { $0.id < $1.id }) {
      let isSound =
        try chain.parent.map {
          try session.log.chains[$0] != nil && $0 != chain.id && chain.forkSequence > 0
        }
        ?? (chain.forkSequence == 0)
      if !isSound { find("chain \(chain.id) branches from an unknown chain") }
    }
  }

  /// Checks the digests, chain, stamp and dependencies of a commit.
  private func checkCommit(_ n: Int64, _ chains: inout [Int64: CommitInfo]) throws {
    let info = try session.log.commit(ofBlock: n)
    let commit = try session.log.commit(number: n)
    try commit.verify()
    report.commitCount += 1
    report.blockCount += commit.blocks.count
    if try session.log.awaitsOutline(n) != nil { report.partialCount += 1 }
    let place = "commit \(commit.header.sequence) of replica \(commit.header.replica)"
    if try session.log.chains[info.chainID]?.replica != commit.header.replica {
      find("\(place) is in a chain of another replica")
    }
    let before = try chains[info.chainID] ?? forkPoint(of: info.chainID)
    if commit.header.previous != before?.summary.id.hash ?? .zero
      || commit.header.sequence != (before?.summary.id.sequence ?? 0) + 1
    {
      find("\(place) does not follow its predecessor")
    }
    if let before, commit.header.time <= before.summary.time {
      find("\(place) is not stamped later than its predecessor")
    }
    for dependency in commit.header.dependencies
    where try session.log.chainHolding(dependency) == nil {
      find("\(place) depends on a missing commit")
    }
    if try session.log.isWithheld(n), session.log.view == nil {
      do {
        try commit.verifyHorizon()
        try commit.verifyContent()
      } catch let error as VarveError {
        find("\(place) is withheld and cannot be read: \(error.message)")
      }
    }
    let named = try session.log.redactedCells(of: commit.id)
    if session.log.view != nil {
      try checkPurged(commit, place)
    } else if named == nil, commit.blocks.contains(where: \.isRedacted),
      try session.log.awaitsOutline(n) == nil
    {
      find("\(place) lacks cells for no known reason")
    }
    if let named, !named.isEmpty {
      try commit.forEachContent { content, _ in
        guard content.redacted(named) != nil else { return }
        find("\(place) still has cells that were redacted")
      }
    }
    chains[info.chainID] = info
  }

  private func forkPoint(of chainID: Int64) throws -> CommitInfo? {
    guard let chain = try session.log.chains[chainID], let parent = chain.parent,
      let n = try session.log.commitNumber(chainID: parent, sequence: chain.forkSequence)
    else { return nil }
    return try session.log.commit(ofBlock: n)
  }

  /// Checks the identity table against R16 over the whole graph.
  private func checkLiveness() throws {
    var numbers: [EntityID: Int] = [:]
    var ids: [EntityID] = []
    var nodes: [Liveness.Node] = []
    var edges: [(owner: Int, owned: Int)] = []
    func number(_ id: EntityID) throws -> Int {
      if let number = numbers[id] { return number }
      let isErased = try session.identity(id)?.flags.contains(.erased) ?? false
      numbers[id] = nodes.count
      ids.append(id)
      nodes.append(Liveness.Node(isErased: isErased))
      return nodes.count - 1
    }
    let links = try session.connection.ownStatement(
      "SELECT source, target, former FROM varve_link WHERE kind = 1 AND removed IS NULL"
    )
    while try links.step() {
      let former = Link.former(ofColumn: links.int(2))
      guard former.isDisjoint(with: [.intoRebirth, .outdone]) else { continue }
      let owned = try number(try links.id(1))
      if former.contains(.outOfRebirth) {
        nodes[owned].hasDeadEndOutside = true
      } else {
        edges.append((try number(try links.id(0)), owned))
      }
    }
    let liveness = Liveness(nodes: nodes, edges: edges)
    for (index, id) in ids.enumerated() {
      let life = try session.identity(id)?.flags ?? []
      if life.contains(.dead) != liveness.isDead[index]
        || life.contains(.below) != liveness.isBelow[index]
      {
        find("entity \(id) is wrongly stored as \(life.contains(.dead) ? "dead" : "live")")
      }
    }
  }
}

package import VarveCore

/// Compares what a home has of a space with its hashes.
package struct HomeCheck {
  /// What is wrong.
  package private(set) var findings: [String] = []
  /// The number of arrivals that were read.
  package var arrivalCount: Int64 { position.number }
  private var position = HomePosition(incarnation: 0)
  private var arrival: HomeArrival?
  private var commit: Commit?

  /// Reads all arrivals of a space, each with its blocks.
  ///
  /// - Throws: ``VarveError``: `inputOutput` if the home cannot be reached.
  /// - Complexity: O(bytes of the log).
  package static func run(on log: any LogHome) async throws -> HomeCheck {
    var check = HomeCheck()
    do {
      let head = try await log.arrivals(after: nil) { check.add($0) }
      check.finish()
      if let head, check.position.of(incarnation: head.position.incarnation) != head.position {
        check.findings.append("the head at \(head.position.number) is not that of its arrivals")
      }
    } catch let error as VarveError where error.code == .damaged {
      check.findings.append(error.message)
    }
    return check
  }

  private mutating func add(_ part: HomePart) {
    switch part {
    case .arrival(let next):
      finish()
      position.advance(past: next)
      arrival = next
    case .part(.header(let header)): commit = Commit(header: header, blocks: [])
    case .part(.block(let block)): commit = commit.map { $0.with($0.blocks + [block]) }
    }
  }

  /// Checks the arrival whose parts are complete.
  private mutating func finish() {
    guard let arrival else { return }
    do {
      if let commit {
        try commit.verify()
        if commit.id != arrival.commit { note("its header is not that of its commit") }
      } else if arrival.kind != .release {
        note("it has no header")
      }
    } catch {
      note((error as? VarveError)?.message ?? "\(error)")
    }
    (self.arrival, commit) = (nil, nil)
  }

  private mutating func note(_ what: String) {
    findings.append("arrival \(position.number): \(what)")
  }
}

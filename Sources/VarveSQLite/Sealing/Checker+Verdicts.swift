import VarveCore

extension Checker {
  /// Checks that the verdicts of commits follow from the membership, and nothing void was folded.
  ///
  /// A relay folds nothing. It counts the verdicts that signatures and membership give, and takes the
  /// content of commits for valid.
  func checkVerdicts() throws {
    guard let view = try session.log.sealedView else { return }
    var judging = try Judging(session.log, view)
    let unread = view.readsContent ? [] : Set(try session.log.commitNumbers())
    let standings = try judging.standings(unread)
    report.signatures = SignatureCounts(standings, unsignedCount: judging.unsignedCount)
    guard view.readsContent else { return }
    let stored = try session.log.verdicts()
    for (n, standing) in standings.sorted(by: { $0.key < $1.key }) {
      let known = stored[n] ?? .accepted
      guard standing != known else { continue }
      let id = try session.log.commit(ofBlock: n).summary.id
      find("commit \(id.sequence) of replica \(id.replica) is \(known), and should be \(standing)")
    }
  }
}

extension SignatureCounts {
  fileprivate init(_ standings: [Int64: CommitStanding], unsignedCount: Int) {
    var (accepted, waiting, void) = (0, 0, 0)
    for standing in standings.values {
      switch standing {
      case .accepted: accepted += 1
      case .waiting: waiting += 1
      case .void: void += 1
      }
    }
    self.init(
      signedCount: accepted - unsignedCount,
      unsignedCount: unsignedCount,
      waitingCount: waiting,
      voidCount: void
    )
  }
}

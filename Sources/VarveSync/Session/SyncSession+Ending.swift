import VarveCore

extension SyncSession {
  /// Sends the goodbye once everything received is on the disk and everything to send was sent.
  /// Ends once the other side has sent its own.
  mutating func finishIfDone() -> [SyncAction] {
    var actions: [SyncAction] = []
    if let search = findAwaitedIfDue() ?? lookUpPromisedIfDue() { return search }
    if !hasSaidGoodbye, sending.hasEnded, receiving.hasEnded, receiving.appendCount == 0 {
      hasSaidGoodbye = true
      report.waiting = receiving.waiting.waiting
      if !report.waiting.isEmpty {
        actions += message(.waiting(Array(report.waiting.prefix(limits.headCount))))
      }
      actions += message(.goodbye)
    }
    guard hasSaidGoodbye, hasHeardGoodbye, !isOver else { return actions }
    phase = .ended
    checkInvariants()
    return actions + [.finish(report)]
  }

  /// Traps if the state contradicts itself.
  package func checkInvariants() {
    precondition(outstandingByteCount >= 0, "no more is acknowledged than was sent")
    precondition(outstandingByteCount <= limits.window, "the window limits the bytes in transit")
    precondition(receiving.creditedByteCount <= receiving.receivedByteCount, "credit is for bytes")
    precondition(!hasSaidGoodbye || receiving.appendCount == 0, "goodbye means: on the disk")
    receiving.waiting.checkInvariants()
  }
}

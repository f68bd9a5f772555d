import VarveCore

extension SyncSession {
  /// Says goodbye once all that came is on the disk and all there is was sent; ends once the other
  /// has said so too.
  mutating func finishIfDone() -> [SyncAction] {
    var actions: [SyncAction] = []
    if let search = findAwaitedIfDue() { return search }
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

  /// Traps where the state contradicts itself.
  package func checkInvariants() {
    precondition(outstandingByteCount >= 0, "no more is acknowledged than was sent")
    precondition(outstandingByteCount <= limits.window, "the window bounds what is on its way")
    precondition(receiving.creditedByteCount <= receiving.receivedByteCount, "credit is for bytes")
    precondition(!hasSaidGoodbye || receiving.appendCount == 0, "goodbye means: on the disk")
    receiving.waiting.checkInvariants()
  }
}

import Synchronization
package import VarveCore

/// The cryptography of a device in its sealed spaces, or of a relay, which has no keys.
package final class DeviceSealing: SpaceSealing {
  /// The keys and secrets of the device; nil for a relay.
  let keeper: DeviceKeeper?
  /// The present, in milliseconds since 1970.
  let milliseconds: @Sendable () -> Int64
  private let newest = Mutex<(last: [UInt8], view: MemberView)?>(nil)

  /// A device with keys; a relay without.
  package init(
    _ store: (any KeyStore)?,
    milliseconds: @escaping @Sendable () -> Int64 = SystemClock.millisecondsSince1970
  ) throws {
    keeper = try store.map(DeviceKeeper.init)
    self.milliseconds = milliseconds
  }

  package var hasKeys: Bool { keeper != nil }

  package func view(
    endingWith last: [UInt8],
    _ encoded: () throws -> [UInt8]
  ) throws -> any SealedView {
    try memberView(endingWith: last, encoded)
  }

  func memberView(endingWith last: [UInt8], _ encoded: () throws -> [UInt8]) throws -> MemberView {
    if let known = newest.withLock({ $0 }), known.last == last { return known.view }
    let log = try log(encoded(), newest.withLock { $0?.view.log })
    if let keeper, log.state.devices[keeper.device.id] == nil { throw Self.isStranger(log) }
    let view = try MemberView(log, keeper)
    newest.withLock { $0 = (last, view) }
    return view
  }

  private static func isStranger(_ log: MembershipLog) -> VarveError {
    VarveError(
      .wrongKey,
      "the keys are those of a device that was never a member of the space",
      at: "space \(log.state.space)",
      remedy: "Open the store with the keys of its device. On the command line, name their folder "
        + "by --keys or VARVE_KEYS."
    )
  }

  /// Reads a log. The entries of one that was verified before are not verified again.
  private func log(_ encoded: [UInt8], _ known: MembershipLog?) throws -> MembershipLog {
    guard var log = known else { return try MembershipLog(encoded: encoded) }
    let prefix = log.encoded
    guard encoded.starts(with: prefix) else { return try MembershipLog(encoded: encoded) }
    let rest = Array(encoded.dropFirst(prefix.count))
    return try StrictReading.read(rest, "a membership log", limit: SealedLimits.logByteCount) {
      reader in
      while !reader.isAtEnd { try log.append(MembershipEntry(&reader, depth: 0)) }
      return log
    }
  }

  /// Returns what this device may read and write with the membership of a desk; nil if it has none.
  func memberView(at desk: any SealedDesk) throws -> MemberView? {
    let entries = try desk.entries
    guard let last = entries.last else { return nil }
    return try memberView(endingWith: last) { Array(entries.joined()) }
  }

  package func signature(encoded: [UInt8]) throws -> SealedSignature {
    SealedSignature(commit: try SignedHead(encoded: encoded).commit, encoded: encoded)
  }

  package func intent(ofPurging redactions: [Redaction]) -> (id: [UInt8], content: [UInt8]) {
    (Self.letterID(), MembershipIntent.purge(redactions).encoded)
  }

  package func intent(ofCompactingUpTo time: HybridTime) -> (id: [UInt8], content: [UInt8]) {
    (Self.letterID(), MembershipIntent.compact(time).encoded)
  }

  /// Returns an id of a letter that no other has.
  static func letterID() -> [UInt8] {
    var writer = ByteWriter()
    writer.space(.random())
    return writer.bytes
  }

  package func actAtHome(_ desk: any SealedDesk) throws {
    var count = -1
    // A large purge is ordered part by part.
    while let view = try memberView(at: desk), view.log.entries.count > count {
      count = view.log.entries.count
      var correspondence = Correspondence(self, isMeeting: false)
      _ = try correspondence.message(desk)
      guard try !desk.letters(.intent).isEmpty else { return }
    }
  }

  package func correspondence() -> any SealedCorrespondence {
    Correspondence(self, isMeeting: true)
  }

  package func publishing() -> any SealedCorrespondence { Correspondence(self, isMeeting: false) }

  package func reply(
    to request: [UInt8],
    mayBegin: Bool,
    _ desk: any SealedDesk
  ) throws -> [UInt8] {
    let request = try SealedRequest(encoded: request)
    var correspondence = try Correspondence(
      self,
      answering: request,
      mayBegin: mayBegin,
      desk
    )
    try correspondence.take(request.message, desk)
    return try correspondence.message(desk)
  }
}

import VarveCore

/// Entries of a membership log from the first on, and the state after them.
struct MembershipLine {
  private(set) var entries: [MembershipEntry]
  private(set) var state: MembershipState

  /// Begins a line.
  ///
  /// - Throws: `VarveError` with code `damaged` if the entry is no valid first entry.
  init(genesis entry: MembershipEntry) throws {
    guard entry.number == 0, entry.previous == .zero,
      case .genesis(let mode, let creator, let recovery) = entry.operation
    else { throw entry.invalid("it is no beginning of a space") }
    guard entry.isSigned(by: creator), creator.id != recovery.id else {
      throw entry.invalid("its signature is not the creator's")
    }
    state = MembershipState(
      space: entry.space,
      mode: mode,
      genesis: entry.hash,
      recovery: recovery
    )
    state.devices[creator.id] = MembershipState.Device(keys: creator, role: .admin)
    entries = [entry]
  }

  /// Begins a line with entries that were verified before.
  private init(verified entries: ArraySlice<MembershipEntry>) throws {
    guard let first = entries.first else { throw StrictReading.damaged("a log", "it is empty") }
    try self.init(genesis: first)
    for entry in entries.dropFirst() { try append(entry, isVerified: true) { _, _ in } }
  }

  /// Verifies an entry and adds it.
  ///
  /// - Parameters:
  ///   - isVerified: whether its signature was verified before.
  ///   - visit: receives every entry, also of branches that are joined, with the state after it.
  /// - Throws: `VarveError` with code `damaged` or `forbidden`.
  mutating func append(
    _ entry: MembershipEntry,
    isVerified: Bool = false,
    visit: (MembershipEntry, MembershipState) throws -> Void
  ) throws {
    try verifyPlace(of: entry)
    if !isVerified {
      guard let keys = state.keys(of: entry.signer), entry.isSigned(by: keys) else {
        throw entry.invalid("its signature is not that of a device of the space")
      }
    }
    try state.apply(entry)
    if case .join(let branch) = entry.operation {
      let other = try joined(branch, entry, isVerified: isVerified, visit: visit)
      try state.join(other, accepted: branch.accepted, by: entry)
    }
    entries.append(entry)
    try visit(entry, state)
  }

  private func verifyPlace(of entry: MembershipEntry) throws {
    guard let last = entries.last else { return }
    guard entry.space == state.space else { throw entry.invalid("it is of another space") }
    guard entry.number == last.number + 1, entry.previous == last.hash else {
      throw entry.invalid("it does not follow entry \(last.number)")
    }
  }

  /// Returns the state at the end of a branch.
  private func joined(
    _ branch: JoinedBranch,
    _ entry: MembershipEntry,
    isVerified: Bool,
    visit: (MembershipEntry, MembershipState) throws -> Void
  ) throws -> MembershipState {
    guard branch.common < Int64(entries.count) - 1, let first = branch.entries.first,
      first.hash != entries[Int(branch.common) + 1].hash
    else { throw entry.invalid("it joins no other branch") }
    var line = try MembershipLine(verified: entries[...Int(branch.common)])
    for entry in branch.entries { try line.append(entry, isVerified: isVerified, visit: visit) }
    return line.state
  }
}

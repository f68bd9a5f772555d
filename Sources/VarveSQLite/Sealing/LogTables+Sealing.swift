import VarveCore

/// What the log keeps of a sealed space beside the commits.
extension LogTables {
  /// The time under which a commit without a verdict is withheld. It is never due.
  static let undecidedTime = HybridTime(rawValue: .max)

  // MARK: Membership

  /// Makes the tables. Older builds refuse the store from then on.
  private func makeSealedTables() throws {
    try connection.execute(Schema.sealed)
    try connection.execute("PRAGMA user_version = \(Schema.sealedVersion)")
  }

  private static let kindKey = "sealed kind"

  /// Returns what the store is in a sealed space.
  func storedKind() throws -> SealedStoreKind? {
    try connection.metaInteger(Self.kindKey).flatMap(SealedStoreKind.init)
  }

  func setKind(_ kind: SealedStoreKind) throws {
    try makeSealedTables()
    try connection.setMeta(Self.kindKey, kind.rawValue)
  }

  func entries() throws -> [[UInt8]] {
    guard try connection.hasTable("varve_membership") else { return [] }
    let statement = try connection.ownStatement(
      "SELECT entry FROM varve_membership ORDER BY number"
    )
    var entries: [[UInt8]] = []
    while try statement.step() { entries.append(statement.blob(0)) }
    return entries
  }

  func lastEntry() throws -> [UInt8]? {
    let statement = try connection.ownStatement(
      "SELECT entry FROM varve_membership ORDER BY number DESC LIMIT 1"
    )
    return try statement.step() ? statement.blob(0) : nil
  }

  func add(entries: [[UInt8]]) throws {
    guard !entries.isEmpty else { return }
    try makeSealedTables()
    let insert = try connection.ownStatement("INSERT INTO varve_membership (entry) VALUES (?)")
    for entry in entries {
      insert.reserve(entry.count)
      insert.bind(1, blob: entry)
      try insert.run()
      insert.reset()
    }
    try loadView()
  }

  /// Replaces all entries.
  func replace(entries: [[UInt8]]) throws {
    try connection.execute("DELETE FROM varve_membership")
    try add(entries: entries)
  }

  /// Removes all entries but the first ones, of which the caller loads the view afterwards.
  func cutEntries(to count: Int64) throws {
    let delete = try connection.ownStatement("DELETE FROM varve_membership WHERE number > ?")
    delete.bind(1, count)
    try delete.run()
  }

  /// Returns the number of entries of the membership log.
  func entryCount() throws -> Int64 {
    guard try connection.hasTable("varve_membership") else { return 0 }
    return try connection.integer("SELECT count(*) FROM varve_membership") ?? 0
  }

  /// Puts an entry at a place of the membership log, of which the caller loads the view afterwards. If
  /// another one is there, that and all that follow it give way.
  ///
  /// - Parameter place: the number of the entries before.
  func place(entry: [UInt8], at place: Int64) throws {
    let known = try connection.ownStatement("SELECT entry FROM varve_membership WHERE number = ?")
    known.bind(1, place + 1)
    if try known.step() {
      guard known.blob(0) != entry else { return }
      known.reset()
      try cutEntries(to: place)
    }
    let insert = try connection.ownStatement(
      "INSERT INTO varve_membership (number, entry) VALUES (?, ?)"
    )
    insert.reserve(entry.count)
    insert.bind(1, place + 1)
    insert.bind(2, blob: entry)
    try insert.run()
  }

  private static let homeKey = "sealed home"

  /// Returns whether the membership is ordered here.
  func isMembershipHome() throws -> Bool { try connection.metaInteger(Self.homeKey) == 1 }

  func setMembershipHome(_ isHome: Bool) throws {
    try connection.setMeta(Self.homeKey, isHome ? 1 : 0)
  }

  /// Returns what is here of the sealed space beside the commits, as records that make it anew.
  func records() throws -> [SealedRecord] {
    var records = try entries().map { SealedRecord.entry($0) }
    if try isMembershipHome() { records.append(.home) }
    for kind in SealedLetterKind.allCases {
      records += try letters(kind).map { .letter(kind, id: $0.id, content: $0.content) }
    }
    return try records + signatures().map { .signature($0) }
  }

  // MARK: Signed heads

  func signatures() throws -> [[UInt8]] {
    guard try connection.hasTable("varve_signature") else { return [] }
    let statement = try connection.ownStatement(
      "SELECT signature FROM varve_signature ORDER BY hash"
    )
    var signatures: [[UInt8]] = []
    while try statement.step() { signatures.append(statement.blob(0)) }
    return signatures
  }

  func add(_ signature: SealedSignature) throws {
    let insert = try connection.ownStatement(
      """
      INSERT OR REPLACE INTO varve_signature (hash, replica, sequence, signature)
      VALUES (?, ?, ?, ?)
      """
    )
    insert.reserve(48 + signature.encoded.count)
    insert.bind(1, blob: signature.commit.hash.bytes)
    insert.bind(2, signature.commit.replica.fingerprint)
    insert.bind(3, signature.commit.sequence)
    insert.bind(4, blob: signature.encoded)
    try insert.run()
    try removeSignatures(below: signature.commit)
  }

  /// Removes the signatures of commits below one, which cover nothing more.
  private func removeSignatures(below commit: CommitID) throws {
    guard let chainID = try chainHolding(commit) else { return }
    let statement = try connection.ownStatement(
      "SELECT hash, sequence FROM varve_signature WHERE replica = ? AND sequence < ?"
    )
    statement.bind(1, commit.replica.fingerprint)
    statement.bind(2, commit.sequence)
    var covered: [[UInt8]] = []
    while try statement.step() {
      let (hash, sequence) = (statement.blob(0), statement.int(1))
      guard let n = try commitNumber(chainID: chainID, sequence: sequence) else { continue }
      if try self.commit(ofBlock: n).summary.id.hash.bytes == hash { covered.append(hash) }
    }
    let delete = try connection.ownStatement("DELETE FROM varve_signature WHERE hash = ?")
    for hash in covered {
      delete.reserve(hash.count)
      delete.bind(1, blob: hash)
      try delete.run()
      delete.reset()
    }
  }

  /// Records the newest commit of a chain that was written here, which this device may sign.
  func noteSignable(_ sequence: Int64, of chainID: Int64) throws {
    let insert = try connection.statement(
      "INSERT OR REPLACE INTO varve_signable (lineage, sequence) VALUES (?, ?)"
    )
    insert.bind(1, chainID)
    insert.bind(2, sequence)
    try insert.run()
  }

  /// Returns the replicas under which commits were written here.
  func signableReplicas() throws -> Set<ReplicaID> {
    guard try connection.hasTable("varve_signable") else { return [] }
    let statement = try connection.ownStatement("SELECT lineage FROM varve_signable")
    var replicas: Set<ReplicaID> = []
    while try statement.step() {
      if let chain = state.chains[statement.int(0)] { replicas.insert(chain.replica) }
    }
    return replicas
  }

  /// Signs the newest commits that were written here, if this device may.
  func signOwnCommits() throws {
    guard let view else { return }
    let statement = try connection.ownStatement("SELECT lineage, sequence FROM varve_signable")
    var signable: [CommitID] = []
    while try statement.step() {
      let n = try commitNumber(chainID: statement.int(0), sequence: statement.int(1))
      if let n { signable.append(try commit(ofBlock: n).summary.id) }
    }
    let known = try connection.ownStatement("SELECT 1 FROM varve_signature WHERE hash = ?")
    for id in signable {
      known.reserve(32)
      known.bind(1, blob: id.hash.bytes)
      let isSigned = try known.step()
      known.reset()
      guard !isSigned, let signature = try view.signature(of: id) else { continue }
      try add(signature)
    }
  }

  // MARK: Verdicts

  /// Returns the verdicts of the commits that are not accepted.
  func verdicts() throws -> [Int64: CommitStanding] {
    guard try connection.hasTable("varve_verdict") else { return [:] }
    let statement = try connection.ownStatement("SELECT n, is_void, reason FROM varve_verdict")
    var verdicts: [Int64: CommitStanding] = [:]
    while try statement.step() {
      let reason = statement.text(2)
      verdicts[statement.int(0)] = statement.int(1) == 1 ? .void(reason) : .waiting(reason)
    }
    return verdicts
  }

  func note(_ standing: CommitStanding, of n: Int64) throws {
    let (isVoid, reason): (Int64, String)
    switch standing {
    case .accepted:
      let delete = try connection.statement("DELETE FROM varve_verdict WHERE n = ?")
      delete.bind(1, n)
      return try delete.run()
    case .waiting(let why): (isVoid, reason) = (0, why)
    case .void(let why): (isVoid, reason) = (1, why)
    }
    let insert = try connection.statement(
      "INSERT OR REPLACE INTO varve_verdict (n, is_void, reason) VALUES (?, ?, ?)"
    )
    insert.reserve(reason.utf8.count)
    insert.bind(1, n)
    insert.bind(2, isVoid)
    insert.bind(3, text: reason)
    try insert.run()
  }

  /// Returns whether a commit waits for its verdict.
  func isWaiting(_ n: Int64) throws -> Bool {
    let statement = try connection.statement("SELECT is_void FROM varve_verdict WHERE n = ?")
    statement.bind(1, n)
    defer { statement.reset() }
    return try statement.step() && statement.int(0) == 0
  }

  /// Returns whether a commit was written here.
  func isWrittenHere(_ n: Int64, _ header: CommitHeader) throws -> Bool {
    let chainID = try commit(ofBlock: n).chainID
    let statement = try connection.statement(
      "SELECT 1 FROM varve_signable WHERE lineage = ? AND sequence >= ?"
    )
    statement.bind(1, chainID)
    statement.bind(2, header.sequence)
    defer { statement.reset() }
    return try statement.step()
  }

  func isVoid(_ n: Int64) throws -> Bool {
    guard try sealedView != nil else { return false }
    let statement = try connection.statement("SELECT is_void FROM varve_verdict WHERE n = ?")
    statement.bind(1, n)
    defer { statement.reset() }
    return try statement.step() && statement.int(0) == 1
  }

  /// Returns the commits that have no effect yet, in order of arrival, with the times from which they
  /// have one.
  func withheldTimes() throws -> [(n: Int64, time: HybridTime)] {
    let statement = try connection.ownStatement("SELECT n, time FROM varve_withheld ORDER BY n")
    var times: [(n: Int64, time: HybridTime)] = []
    while try statement.step() {
      times.append((statement.int(0), HybridTime(rawValue: statement.int(1))))
    }
    return times
  }

  /// Withholds a commit until its verdict is known.
  func withholdUndecided(_ n: Int64) throws { try withhold(n, until: Self.undecidedTime) }

  // MARK: Letters

  func letters(_ kind: SealedLetterKind) throws -> [(id: [UInt8], content: [UInt8])] {
    guard try connection.hasTable("varve_letter") else { return [] }
    let statement = try connection.ownStatement(
      "SELECT id, content FROM varve_letter WHERE kind = ? ORDER BY number"
    )
    statement.bind(1, kind.rawValue)
    var letters: [(id: [UInt8], content: [UInt8])] = []
    while try statement.step() { letters.append((statement.blob(0), statement.blob(1))) }
    return letters
  }

  func keep(_ kind: SealedLetterKind, id: [UInt8], _ content: [UInt8]) throws {
    try makeSealedTables()
    let insert = try connection.ownStatement(
      "INSERT OR REPLACE INTO varve_letter (kind, id, content) VALUES (?, ?, ?)"
    )
    insert.reserve(id.count + content.count)
    insert.bind(1, kind.rawValue)
    insert.bind(2, blob: id)
    insert.bind(3, blob: content)
    try insert.run()
  }

  func remove(_ kind: SealedLetterKind, id: [UInt8]) throws {
    guard try connection.hasTable("varve_letter") else { return }
    let delete = try connection.ownStatement("DELETE FROM varve_letter WHERE kind = ? AND id = ?")
    delete.reserve(id.count)
    delete.bind(1, kind.rawValue)
    delete.bind(2, blob: id)
    try delete.run()
  }
}

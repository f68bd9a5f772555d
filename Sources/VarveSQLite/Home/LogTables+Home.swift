import VarveCore

extension LogTables {
  /// The numbers of the commits from one on, in order of arrival.
  func numbers(from first: Int64) throws -> [Int64] {
    let statement = try connection.statement("SELECT n FROM varve_commit WHERE n >= ? ORDER BY n")
    statement.bind(1, first)
    defer { statement.reset() }
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(statement.int(0)) }
    return numbers
  }

  /// Returns the commits that are not among some, in order of their numbers.
  func commits(but held: Set<CommitID>) throws -> [(n: Int64, id: CommitID)] {
    try numbers(from: 0).compactMap { n in
      let id = try commit(number: n, withBlocks: false).id
      return held.contains(id) ? nil : (n, id)
    }
  }

  /// Returns the number of a commit; nil if it is not here.
  func number(of id: CommitID) throws -> Int64? {
    try chainHolding(id).flatMap { try commitNumber(chainID: $0, sequence: id.sequence) }
  }

  /// Returns those commits that are here and not withheld, in the order of their stamps.
  func effective(among ids: Set<CommitID>) throws -> [CommitID] {
    let numbers = try ids.compactMap { try number(of: $0) }.filter { try !isWithheld($0) }
    let summaries = try numbers.map { try commit(ofBlock: $0).summary }
    return summaries.sorted { $0.time < $1.time }.map(\.id)
  }

  /// Continues the chain of a replica, or begins it.
  func continueChain(of replica: ReplicaID) throws {
    guard state.own.replica != replica else { return }
    let chain = state.chains.values.first { $0.replica == replica && $0.parent == nil }
    guard let chain else { return try startOwnChain(replica) }
    try connection.setMeta("own_lineage", chain.id)
    try connection.setMeta("own_replica", replica.fingerprint)
    try reload()
  }
}

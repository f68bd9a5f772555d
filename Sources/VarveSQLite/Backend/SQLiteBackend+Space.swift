package import VarveCore

/// A store's file as a space.
extension SQLiteBackend {
  package func space() async throws -> SpaceID { try await identity().space }

  package func end() async throws -> HomePosition {
    let chosen = try await identity().incarnation
    return try await inspecting { session in
      let incarnation = try self.incarnation(in: session) ?? chosen
      return try arrivalPositions.end(of: session.log, incarnation: incarnation)
    }
  }

  package func arrivals(
    after position: HomePosition,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int
  ) async throws -> (items: [LogItem], next: HomePosition)? {
    let chosen = try await identity().incarnation
    return try await inspecting { session in
      guard try self.incarnation(in: session) ?? chosen == position.incarnation,
        let place = try arrivalPositions.place(of: position, in: session.log)
      else { return nil }
      var next = position
      let items = try session.log.items(
        after: place,
        atMost: byteCount,
        wholeUpTo: wholeByteCount
      ) {
        next.advance(past: HomeArrival(.commit, $0, principal: nil))
      }
      return (items, next)
    }
  }

  package func boundSpace(at address: String) async throws -> SpaceID? {
    try await inspecting { try $0.connection.metaSpace("bound \(address)") }
  }

  package func bind(_ space: SpaceID, at address: String, isAdmin: Bool?) async throws {
    let key = "bound \(address) admin"
    let admin: Int64? = isAdmin.map { $0 ? 1 : 0 }
    let (known, knownAdmin) = try await inspecting {
      (try $0.connection.metaSpace("bound \(address)"), try $0.connection.metaInteger(key))
    }
    guard known != space || (admin ?? knownAdmin) != knownAdmin else { return }
    try await exclusively { session in
      try session.connection.setMeta("bound \(address)", space)
      if let admin { try session.connection.setMeta(key, admin) }
      try session.log.loadLimitingSpaces()
    }
  }

  /// Returns this copy's incarnation as of the session's snapshot; nil if none is known yet.
  private func incarnation(in session: Session) throws -> Int64? {
    guard let home = configuration.home else { return try session.spaceIdentity()?.incarnation }
    return try session.homePosition(of: home.space)?.incarnation
  }

  /// Returns the space's id and this copy's incarnation: those of the home, or those that the first
  /// call chooses. A file that is only read and was never shared has none: it is space zero, which
  /// synchronises with nothing.
  private func identity() async throws -> (space: SpaceID, incarnation: Int64) {
    if let home = configuration.home {
      if let position = try await inspecting({ try $0.homePosition(of: home.space) }) {
        return (home.space, position.incarnation)
      }
      return (home.space, try await home.head().position.incarnation)
    }
    if let known = try await inspecting({ try $0.spaceIdentity() }) { return known }
    guard !configuration.isReadOnly else { return (SpaceID(high: 0, low: 0), 0) }
    return try await exclusively { try $0.chooseSpace() }
  }
}

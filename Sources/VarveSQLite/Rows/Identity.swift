import VarveCore

/// The row of an identifier in the identity table.
struct Identity: Equatable {
  /// The bits of the life column.
  struct Flags: OptionSet, Equatable {
    let rawValue: Int64
    /// A commit created it.
    static let known = Flags(rawValue: 1)
    /// Its own register is erased.
    static let erased = Flags(rawValue: 2)
    /// An ownership path leads to it from an erased entity.
    static let below = Flags(rawValue: 4)
    /// It is dead (R16).
    static let dead = Flags(rawValue: 8)
    /// It was re-created: cells written before that are history only.
    static let reborn = Flags(rawValue: 16)
  }

  var id: EntityID
  /// The number of its rows and touches; nil if it is only an end of an edge.
  var row: Int64?
  var type: Int64?
  var flags: Flags
  /// The block that contains its creation.
  var born: Int64?

  var isLive: Bool { flags.contains(.known) && !flags.contains(.dead) }
}

extension Session {
  /// Returns the identity of an identifier, or nil.
  func identity(_ id: EntityID) throws -> Identity? {
    if let last = rows.identity, last.id == id { return last }
    let statement = try connection.statement(.findIdentity)
    statement.reserve(0)
    statement.bind(1, id)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let identity = Identity(
      id: id,
      row: statement.optionalInt(0),
      type: statement.optionalInt(1),
      flags: Identity.Flags(rawValue: statement.int(2)),
      born: statement.optionalInt(3)
    )
    if isWriting { rows.identity = identity }
    return identity
  }

  /// Stores an identity.
  func save(_ identity: Identity) throws {
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO varve_identity (id, row, type, life, born) VALUES (?, ?, ?, ?, ?)"
    )
    statement.reserve(1_024)
    statement.bind(1, identity.id)
    statement.bind(2, identity.row)
    statement.bind(3, identity.type)
    statement.bind(4, identity.flags.rawValue)
    statement.bind(5, identity.born)
    try statement.run()
    if isWriting { rows.identity = identity }
  }

  /// Adds an unknown identifier. Returns false if it is known.
  func addIdentity(_ id: EntityID, row: Int64, type: Int64, born: Int64) throws -> Bool {
    let statement = try connection.statement(.addIdentity)
    statement.reserve(0)
    statement.bind(1, id)
    statement.bind(2, row)
    statement.bind(3, type)
    statement.bind(4, born)
    try statement.run()
    return connection.changes == 1
  }

  /// Adds as many unknown identifiers as a statement takes, with consecutive rows. Returns false,
  /// and adds none, if any of them is known.
  func addIdentities(
    _ ids: ArraySlice<EntityID>,
    row first: Int64,
    type: Int64,
    born: Int64
  ) throws -> Bool {
    let statement = try connection.statement(.addIdentities)
    statement.reserve(ids.count * EntityID.maximumByteCount)
    statement.bind(1, type)
    statement.bind(2, born)
    var (parameter, row): (Int32, Int64) = (3, first)
    for id in ids {
      statement.bind(parameter, id)
      statement.bind(parameter + 1, row)
      parameter += 2
      row += 1
    }
    try statement.run()
    if Int(connection.changes) == ids.count { return true }
    let delete = try connection.statement("DELETE FROM varve_identity WHERE id = ? AND row = ?")
    for (row, id) in zip(first..., ids) {
      delete.reserve(0)
      delete.bind(1, id)
      delete.bind(2, row)
      try delete.run()
    }
    return false
  }
}

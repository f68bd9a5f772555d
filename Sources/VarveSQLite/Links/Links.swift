import VarveCore

/// An add of a to-many relation, as stored in its table.
struct Link {
  var source: EntityID
  var relation: Relation
  var target: EntityID
  var position: ListPosition
  /// The number of the commit that added it.
  var commit: Int64
  var ordinal: Int
  var time: HybridTime
  /// The earliest time from which it is removed.
  var removed: HybridTime?
  var former: Former
  /// The number of the key it is paired with, or 0 if it is not paired.
  var pairKey: Int64 = 0

  /// The state of an add after re-creations and greater adds, and its pairing. The bits share a
  /// column with the number of the key, which begins at bit 8.
  struct Former: OptionSet {
    let rawValue: Int64
    /// Its target was re-created later, so the add no longer counts as an ownership.
    static let intoRebirth = Former(rawValue: 1)
    /// Its source was re-created later, so the add counts as one from an erased owner.
    static let outOfRebirth = Former(rawValue: 2)
    /// A greater add of its register outranks it (R28).
    static let outdone = Former(rawValue: 4)
    /// It is paired with a property of its source.
    static let pairedAtSource = Former(rawValue: 8)
    /// It is paired with a property of its target.
    static let pairedAtTarget = Former(rawValue: 16)
    /// The bits that re-creations set.
    static let rebirths: Former = [.intoRebirth, .outOfRebirth]
    static let pairings: Former = [.pairedAtSource, .pairedAtTarget]
  }

  /// Whether the add counts, re-creations aside.
  var isStanding: Bool { removed == nil && !former.contains(.outdone) }

  /// The value of the column: the bits and the number of the key.
  var formerColumn: Int64 { former.rawValue | pairKey << 8 }

  static func former(ofColumn column: Int64) -> Former { Former(rawValue: column & 0xFF) }
}

extension Session {
  private static let linkColumns =
    "source, kind, name, position, b, ordinal, target, time, removed, former"

  /// Returns the adds out of an entity, in order of relation, position, add.
  func links(from source: EntityID, relation: Relation? = nil) throws -> [Link] {
    let condition = relation == nil ? "" : " AND kind = ? AND name = ?"
    let statement = try connection.statement(
      """
      SELECT \(Self.linkColumns) FROM varve_link WHERE source = ?\(condition)
      ORDER BY kind, name, position, b, ordinal
      """
    )
    statement.reserve(1_024 + (relation?.name.text.utf8.count ?? 0))
    statement.bind(1, source)
    if let relation {
      statement.bind(2, Int64(relation.kind.rawValue))
      statement.bind(3, text: relation.name.text)
    }
    return try links(statement)
  }

  /// Returns the adds of one kind out of an entity, in order of name, position, add.
  func links(from source: EntityID, kind: Relation.Kind) throws -> [Link] {
    let statement = try connection.statement(
      """
      SELECT \(Self.linkColumns) FROM varve_link WHERE source = ? AND kind = ?
      ORDER BY name, position, b, ordinal
      """
    )
    statement.reserve(1_024)
    statement.bind(1, source)
    statement.bind(2, Int64(kind.rawValue))
    return try links(statement)
  }

  /// Returns the adds of one kind into an entity, in no order.
  func links(to target: EntityID, kind: Relation.Kind) throws -> [Link] {
    let statement = try connection.statement(
      "SELECT \(Self.linkColumns) FROM varve_link WHERE target = ? AND kind = ?"
    )
    statement.reserve(1_024)
    statement.bind(1, target)
    statement.bind(2, Int64(kind.rawValue))
    return try links(statement)
  }

  /// Returns the adds of one relation between two entities, in no order.
  func links(from source: EntityID, relation: Relation, to target: EntityID) throws -> [Link] {
    let statement = try connection.statement(
      """
      SELECT \(Self.linkColumns) FROM varve_link
      WHERE target = ? AND kind = ? AND source = ? AND name = ?
      """
    )
    statement.reserve(2_048 + relation.name.text.utf8.count)
    statement.bind(1, target)
    statement.bind(2, Int64(relation.kind.rawValue))
    statement.bind(3, source)
    statement.bind(4, text: relation.name.text)
    return try links(statement)
  }

  private func links(_ statement: Statement) throws -> [Link] {
    defer { statement.reset() }
    var links: [Link] = []
    while try statement.step() {
      guard let kind = Relation.Kind(rawValue: UInt8(truncatingIfNeeded: statement.int(1))) else {
        throw connection.damaged("a link has an unknown kind")
      }
      links.append(
        Link(
          source: try statement.id(0),
          relation: Relation(kind, PropertyKey(statement.text(2))),
          target: try statement.id(6),
          position: ListPosition(bytes: statement.blob(3)),
          commit: statement.int(4),
          ordinal: Int(statement.int(5)),
          time: HybridTime(rawValue: statement.int(7)),
          removed: statement.optionalInt(8).map(HybridTime.init(rawValue:)),
          former: Link.former(ofColumn: statement.int(9)),
          pairKey: statement.int(9) >> 8
        )
      )
    }
    return links
  }

  /// Returns the place of an add in the order of cells.
  func order(of link: Link) throws -> CellOrder {
    CellOrder(
      time: link.time,
      commit: try log.commit(ofBlock: link.commit).order,
      ordinal: link.ordinal
    )
  }

  func insert(_ link: Link) throws {
    let statement = try connection.statement(
      """
      INSERT OR IGNORE INTO varve_link (\(Self.linkColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    )
    statement.reserve(2_048 + link.relation.name.text.utf8.count + link.position.bytes.count)
    statement.bind(1, link.source)
    statement.bind(2, Int64(link.relation.kind.rawValue))
    statement.bind(3, text: link.relation.name.text)
    statement.bind(4, blob: link.position.bytes)
    statement.bind(5, link.commit)
    statement.bind(6, Int64(link.ordinal))
    statement.bind(7, link.target)
    statement.bind(8, link.time.rawValue)
    statement.bind(9, link.removed?.rawValue)
    statement.bind(10, link.formerColumn)
    try statement.run()
  }

  /// Stores the fields of an add that can change.
  func update(_ link: Link) throws {
    let statement = try connection.statement(
      """
      UPDATE varve_link SET removed = ?, former = ?
      WHERE source = ? AND kind = ? AND name = ? AND position = ? AND b = ? AND ordinal = ?
      """
    )
    statement.reserve(1_024 + link.relation.name.text.utf8.count + link.position.bytes.count)
    statement.bind(1, link.removed?.rawValue)
    statement.bind(2, link.formerColumn)
    statement.bind(3, link.source)
    statement.bind(4, Int64(link.relation.kind.rawValue))
    statement.bind(5, text: link.relation.name.text)
    statement.bind(6, blob: link.position.bytes)
    statement.bind(7, link.commit)
    statement.bind(8, Int64(link.ordinal))
    try statement.run()
  }

  /// Returns whether an entity is an end of an ownership edge.
  func hasOwnershipEdges(_ id: EntityID) throws -> Bool {
    let statement = try connection.statement(
      """
      SELECT EXISTS (SELECT 1 FROM varve_link WHERE source = ?1 AND kind = 1)
      OR EXISTS (SELECT 1 FROM varve_link WHERE target = ?1 AND kind = 1)
      """
    )
    statement.reserve(1_024)
    statement.bind(1, id)
    defer { statement.reset() }
    return try statement.step() && statement.int(0) != 0
  }
}

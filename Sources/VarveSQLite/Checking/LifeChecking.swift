import VarveCore

/// Checks the consequences of lives by the rules themselves.
///
/// Another replay in the same order would repeat a mistake that depends on the order in which
/// commits arrived.
extension Checker {
  /// Checks all adds against R15 and R28: which are former, and which add of a register counts.
  func checkFormerLinks() throws {
    let rebirths = try rebirths()
    var greatest: [RegisterKey: LinkPlace] = [:]
    try forEachLink("") { link in
      let former = try link.former(by: rebirths, session)
      if link.column.intersection(.rebirths) != former { report(link) }
      guard link.pairKey != 0 else {
        if !link.column.subtracting(.rebirths).isEmpty { report(link) }
        return
      }
      if session.catalogue.pairForms[link.pairKey]?.contains(link.form) != true { report(link) }
      let (key, place) = (link.register(former), try link.place(session))
      if let other = greatest[key], place.order < other.order { return }
      greatest[key] = place
    }
    guard !greatest.isEmpty else { return }
    try forEachLink("WHERE former > 255") { link in
      let key = link.register(try link.former(by: rebirths, session))
      let isOutdone = greatest[key] != (try link.place(session))
      if link.column.contains(.outdone) != isOutdone { report(link) }
    }
  }

  private func report(_ link: CheckedLink) {
    find("a relation from \(link.source) to \(link.target) does not match its history")
  }

  private func rebirths() throws -> [EntityID: CellOrder] {
    var rebirths: [EntityID: CellOrder] = [:]
    let reborn = try session.connection.ownStatement("SELECT id FROM varve_identity WHERE life & ?")
    reborn.bind(1, Identity.Flags.reborn.rawValue)
    while try reborn.step() {
      let id = try reborn.id(0)
      rebirths[id] = try session.identity(id).flatMap { try session.rebirth(of: $0) }
    }
    return rebirths
  }

  private func forEachLink(_ condition: String, _ body: (CheckedLink) throws -> Void) throws {
    let links = try session.connection.ownStatement(
      "SELECT source, target, b, ordinal, time, former, kind, name FROM varve_link \(condition)"
    )
    while try links.step() {
      try body(
        CheckedLink(
          source: try links.id(0),
          target: try links.id(1),
          commit: links.int(2),
          ordinal: Int(links.int(3)),
          time: HybridTime(rawValue: links.int(4)),
          column: Link.former(ofColumn: links.int(5)),
          pairKey: links.int(5) >> 8,
          kind: links.int(6),
          name: PropertyKey(links.text(7))
        )
      )
    }
  }

  /// Checks the life and the row of an entity against its own history.
  func checkLife(of identity: Identity) throws {
    let state = try session.reconstruct(identity)
    let type = identity.type.flatMap { session.catalogue.layouts[$0]?.type }
    if identity.flags.contains(.known) != (state.type != nil)
      || (identity.isLive && type != state.type)
      || identity.flags.contains(.erased) != state.isErased
      || identity.flags.contains(.reborn) != (state.rebirth != nil)
      || identity.born != state.creationBlock
    {
      find("the life of entity \(identity.id) does not match its history")
    }
    guard identity.isLive, let entity = try session.entity(identity.id) else { return }
    let properties = state.properties.compactMapValues { property in
      property.value.map { StoredEntity.Property($0, semanticType: property.semanticType) }
    }
    if entity.properties != properties || entity.datestamp != state.datestamp
      || entity.modified != state.modified
    {
      find("the row of entity \(identity.id) does not match its history")
    }
  }
}

/// The parts of an add that are checked.
private struct CheckedLink {
  let source: EntityID
  let target: EntityID
  let commit: Int64
  let ordinal: Int
  let time: HybridTime
  /// The value of the add's `former` column.
  let column: Link.Former
  let pairKey: Int64
  let kind: Int64
  let name: PropertyKey

  func place(_ session: Session) throws -> LinkPlace {
    LinkPlace(
      order: CellOrder(
        time: time,
        commit: try session.log.commit(ofBlock: commit).order,
        ordinal: ordinal
      )
    )
  }

  /// Returns which ends of the add were re-created after it.
  func former(by rebirths: [EntityID: CellOrder], _ session: Session) throws -> Link.Former {
    let (out, into) = (rebirths[source], rebirths[target])
    guard out != nil || into != nil else { return [] }
    let order = try place(session).order
    var former: Link.Former = []
    if out?.isWritten(after: order) ?? false { former.insert(.outOfRebirth) }
    if into?.isWritten(after: order) ?? false { former.insert(.intoRebirth) }
    return former
  }

  var form: Catalogue.PairForm {
    Catalogue.PairForm(
      relation: Relation(Relation.Kind(rawValue: UInt8(truncatingIfNeeded: kind)) ?? .free, name),
      isAtSource: column.contains(.pairedAtSource)
    )
  }

  func register(_ former: Link.Former) -> RegisterKey {
    let isAtSource = column.contains(.pairedAtSource)
    return RegisterKey(
      holder: isAtSource ? source : target,
      isAtSource: isAtSource,
      kind: kind,
      name: name,
      pairKey: pairKey,
      isFormer: former.contains(isAtSource ? .outOfRebirth : .intoRebirth)
    )
  }
}

private struct LinkPlace: Equatable {
  let order: CellOrder
}

private struct RegisterKey: Hashable {
  let holder: EntityID
  let isAtSource: Bool
  let kind: Int64
  let name: PropertyKey
  let pairKey: Int64
  let isFormer: Bool
}

import VarveCore
import VarveSQL

/// Proving what follows from lives by the rule, and not by another replay in the same order: that
/// would repeat a mistake that depends on the order in which commits came.
extension Checker {
  /// R15 over all adds: what re-creations made of them.
  func checkFormerLinks() throws {
    var rebirths: [EntityID: CellOrder] = [:]
    let reborn = try session.connection.ownStatement("SELECT id FROM varve_identity WHERE life & ?")
    reborn.bind(1, Identity.Life.reborn.rawValue)
    while try reborn.step() {
      let id = try reborn.id(0)
      rebirths[id] = try session.identity(id).flatMap { try session.rebirth(of: $0) }
    }
    let links = try session.connection.ownStatement(
      "SELECT source, target, b, ordinal, time, former FROM varve_link"
    )
    while try links.step() {
      let (source, target) = (try links.id(0), try links.id(1))
      var former: Link.Former = []
      let (out, into) = (rebirths[source], rebirths[target])
      if out != nil || into != nil {
        let order = CellOrder(
          time: HybridTime(rawValue: links.int(4)),
          commit: try session.commit(ofBlock: links.int(2)).order,
          ordinal: Int(links.int(3))
        )
        if out?.isWritten(after: order) ?? false { former.insert(.outOfRebirth) }
        if into?.isWritten(after: order) ?? false { former.insert(.intoRebirth) }
      }
      guard former.rawValue != links.int(5) else { continue }
      find("a relation from \(source) to \(target) is taken for one of another life")
    }
  }

  /// The life and the row of an entity against its own history.
  func checkLife(of identity: Identity) throws {
    let state = try session.reconstruct(identity)
    let type = identity.type.flatMap { session.catalogue.layouts[$0]?.type }
    if identity.life.contains(.known) != (state.type != nil)
      || (identity.isLive && type != state.type)
      || identity.life.contains(.erased) != state.isErased
      || identity.life.contains(.reborn) != (state.rebirth != nil)
      || identity.born != state.creationBlock
    {
      find("the life of entity \(identity.id) is not what its history says")
    }
    guard identity.isLive, let entity = try session.entity(identity.id) else { return }
    let properties = state.properties.compactMapValues { property in
      property.value.map { Entity.Property($0, semanticType: property.semanticType) }
    }
    if entity.properties != properties || entity.datestamp != state.datestamp
      || entity.modified != state.modified
    {
      find("the row of entity \(identity.id) is not what its history says")
    }
  }
}

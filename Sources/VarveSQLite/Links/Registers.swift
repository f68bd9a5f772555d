import VarveCore

/// Maintains registers. A register is the set of adds that are paired with one property; only the
/// greatest add counts (R28).
extension Session {
  /// Pairs an add that is about to be stored with a property.
  ///
  /// A void add removes itself.
  func pair(_ link: inout Link, with pairing: Pairing, at place: CellPlace) throws {
    if pairing.isVoid {
      link.removed = min(link.removed ?? link.time, link.time)
      try noteRemoval(link.commit, link.ordinal, time: link.time, at: place)
    }
    link.former.insert(pairing.end == .source ? .pairedAtSource : .pairedAtTarget)
    link.pairKey = try keyNumber(pairing.key)
    try catalogue.notePaired(link.pairKey, link.form)
  }

  /// Returns the adds that an add competes with, including itself and those of former lives.
  func register(of link: Link) throws -> [Link] {
    let links =
      link.former.contains(.pairedAtTarget)
      ? try links(to: link.target, kind: link.relation.kind)
      : try links(from: link.source, relation: link.relation)
    return links.filter { $0.isPaired(like: link) }
  }

  /// Marks each add of a register according to whether a greater one of the same life outranks it.
  ///
  /// - Parameter link: an add of the register, which is updated.
  /// - Returns: the targets of the adds whose mark changed.
  func settleRegister(of link: inout Link) throws -> [EntityID] {
    var greatest: [Bool: (index: Int, order: CellOrder)] = [:]
    let adds = try register(of: link)
    for (index, add) in adds.enumerated() {
      let order = try order(of: add)
      if let other = greatest[add.isOfFormerHolder], order < other.order { continue }
      greatest[add.isOfFormerHolder] = (index, order)
    }
    var turned: [EntityID] = []
    for (index, add) in adds.enumerated() {
      let isOutdone = greatest[add.isOfFormerHolder]?.index != index
      if add.isSameAdd(as: link) { link.mark(outdone: isOutdone) }
      guard isOutdone != add.former.contains(.outdone) else { continue }
      var add = add
      add.mark(outdone: isOutdone)
      try update(add)
      turned.append(add.target)
    }
    return turned
  }

  /// Settles the registers of several adds.
  ///
  /// - Returns: the targets of the ownership adds whose mark changed.
  func settleRegisters(of links: [Link]) throws -> [EntityID] {
    var turned: [EntityID] = []
    var settled: [Link] = []
    for var link in links where !settled.contains(where: { $0.isInRegister(of: link) }) {
      settled.append(link)
      let names = try settleRegister(of: &link)
      if link.relation.kind == .owns { turned += names }
    }
    return turned
  }

  /// Returns the greatest add of each register of a property in the holder's present life.
  func pairedEdges(of id: EntityID, key: PropertyKey) throws -> [PairedEdge] {
    try pairedLinks(of: id, key: key)
      .filter { !$0.former.contains(.outdone) && !$0.isOfFormerHolder }
      .map { try pairedEdge($0, key, isRemoved: $0.removed != nil) }
      .sorted(by: PairedEdge.precedes)
  }

  /// Returns the adds that are paired with a property, including outranked ones and those of former
  /// lives.
  func pairedLinks(of id: EntityID, key: PropertyKey) throws -> [Link] {
    guard let number = catalogue.keyNumbers[key], let forms = catalogue.pairForms[number] else {
      return []
    }
    var found: [Link] = []
    for form in forms {
      let links =
        form.isAtSource
        ? try links(from: id, relation: form.relation) : try links(to: id, kind: form.relation.kind)
      found += links.filter { $0.pairKey == number && $0.form == form }
    }
    return found
  }

  func pairedEdge(_ link: Link, _ key: PropertyKey, isRemoved: Bool) throws -> PairedEdge {
    PairedEdge(
      relation: link.relation,
      pairing: Pairing(key, at: link.form.isAtSource ? .source : .target),
      source: link.source,
      target: link.target,
      add: try addID(of: link),
      isRemoved: isRemoved
    )
  }
}

extension Link {
  /// The relation and the end by which the add is paired with a property.
  var form: Catalogue.PairForm {
    Catalogue.PairForm(relation: relation, isAtSource: former.contains(.pairedAtSource))
  }

  /// Whether the add was written before the greatest re-creation of the entity whose property it is
  /// paired with.
  var isOfFormerHolder: Bool {
    former.contains(former.contains(.pairedAtSource) ? .outOfRebirth : .intoRebirth)
  }

  /// Returns whether both adds are paired with the same key at the same end, though perhaps of
  /// different entities.
  fileprivate func isPaired(like other: Link) -> Bool {
    pairKey == other.pairKey && relation == other.relation
      && former.intersection(.pairings) == other.former.intersection(.pairings)
  }

  fileprivate func isInRegister(of other: Link) -> Bool {
    isPaired(like: other)
      && (former.contains(.pairedAtSource) ? source == other.source : target == other.target)
  }

  fileprivate func isSameAdd(as other: Link) -> Bool {
    commit == other.commit && ordinal == other.ordinal
  }

  fileprivate mutating func mark(outdone isOutdone: Bool) {
    if isOutdone { former.insert(.outdone) } else { former.remove(.outdone) }
  }
}

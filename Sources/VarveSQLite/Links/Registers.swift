import VarveCore

/// Adds of which only the greatest counts: those paired with one property (R28).
extension Session {
  /// Pairs an add that is to be stored with a property.
  ///
  /// A void one is removed by itself.
  func pair(_ link: inout Link, with pairing: Pairing, at place: CellPlace) throws {
    if pairing.isVoid {
      link.removed = min(link.removed ?? link.time, link.time)
      try noteRemoval(link.commit, link.ordinal, time: link.time, at: place)
    }
    link.former.insert(pairing.end == .source ? .pairedAtSource : .pairedAtTarget)
    link.pairKey = try keyNumber(pairing.key)
    try catalogue.notePaired(link.pairKey, link.form)
  }

  /// The adds an add is compared with, itself included: those of former lives too.
  func register(of link: Link) throws -> [Link] {
    let links =
      link.former.contains(.pairedAtTarget)
      ? try links(to: link.target, kind: link.relation.kind)
      : try links(from: link.source, relation: link.relation)
    return links.filter { $0.isPaired(like: link) }
  }

  /// Says of each add of a register whether a greater one of the same life outdoes it.
  ///
  /// - Parameter link: one of them, which is brought up to date.
  /// - Returns: what those name that count and did not, or the other way round.
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

  /// The same for the registers of several adds.
  ///
  /// - Returns: what those name that are ownerships.
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

  /// The greatest of each register of a property in the holder's present life.
  func pairedEdges(of id: EntityID, key: PropertyKey) throws -> [PairedEdge] {
    try pairedLinks(of: id, key: key)
      .filter { !$0.former.contains(.outdone) && !$0.isOfFormerHolder }
      .map { try pairedEdge($0, key, isRemoved: $0.removed != nil) }
      .sorted(by: PairedEdge.precedes)
  }

  /// The adds that are paired with a property, those of former lives and outdone ones too.
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
  /// What it is paired with a property by.
  var form: Catalogue.PairForm {
    Catalogue.PairForm(relation: relation, isAtSource: former.contains(.pairedAtSource))
  }

  /// Whether it was written before the greatest re-creation of the entity whose property it is
  /// paired with.
  var isOfFormerHolder: Bool {
    former.contains(former.contains(.pairedAtSource) ? .outOfRebirth : .intoRebirth)
  }

  /// Whether it is paired with the same property, though perhaps of another entity.
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

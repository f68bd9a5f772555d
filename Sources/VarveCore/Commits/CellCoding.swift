/// The tag in front of each cell of a section of cells.
enum CellTag: UInt8 {
  case created = 1
  case recreated = 2
  case erased = 3
  case restored = 4
  case value = 5
  case largeValue = 6
  case removal = 7
  case collection = 8
  case add = 9
  case remove = 10
  case pairedAdd = 11

  /// A bit beside the pair's end. It marks an add that has no effect.
  static let voidBit: UInt8 = 4
}

/// The texts, identifiers and commits that a section of cells names, each of them once.
private struct CellTables {
  /// The names of a cell, as indices in the tables.
  struct Indices {
    var entity = 0
    /// The index of the cell's key, or of the name of its relation.
    var key = 0
    var semanticType = 0
    /// The index of the key that an edge is paired with.
    var pairKey = 0
  }

  private(set) var entities: [EntityID] = []
  private var entityIndices: [EntityID: Int] = [:]
  private(set) var keys: [PropertyKey] = []
  private var keyIndices: [PropertyKey: Int] = [:]
  private(set) var commits: [CommitID] = []
  private(set) var commitIndices: [CommitID: Int] = [:]
  /// The indices of each cell.
  private(set) var indices: [Indices] = []

  init(_ cells: [Cell]) {
    indices.reserveCapacity(cells.count)
    // Most sections have one cell of each entity.
    entities.reserveCapacity(cells.count)
    entityIndices.reserveCapacity(cells.count)
    for cell in cells {
      var named = Indices()
      let last = indices.last ?? named
      named.entity = add(cell.entity, perhaps: last.entity)
      switch cell.content {
      case .life: break
      case .value(let key, _, let semanticType):
        named.key = add(key, perhaps: last.key)
        named.semanticType = add(PropertyKey(semanticType), perhaps: last.semanticType)
      case .removal(let key), .collection(let key): named.key = add(key, perhaps: last.key)
      case .add(let relation, _, _, let pairing):
        named.key = add(relation.name, perhaps: last.key)
        if let pairing { named.pairKey = add(pairing.key, perhaps: last.pairKey) }
      case .remove(let relation, _, let adds):
        named.key = add(relation.name, perhaps: last.key)
        for add in adds { if let commit = add.commit { self.add(commit) } }
      }
      indices.append(named)
    }
  }

  /// Adds an entity if it is missing.
  ///
  /// - Parameter guess: the likely index, which is that of the previous cell.
  private mutating func add(_ entity: EntityID, perhaps guess: Int) -> Int {
    if guess < entities.count, entities[guess] == entity { return guess }
    let next = entities.count
    let index = Self.number(&entityIndices[entity, default: next])
    if index == next { entities.append(entity) }
    return index
  }

  /// Adds a key if it is missing.
  ///
  /// - Parameter guess: the likely index, which is that of the previous cell.
  private mutating func add(_ key: PropertyKey, perhaps guess: Int) -> Int {
    if guess < keys.count, keys[guess] == key { return guess }
    let next = keys.count
    let index = Self.number(&keyIndices[key, default: next])
    if index == next { keys.append(key) }
    return index
  }

  /// Reads the number that a dictionary access has just inserted, so that there is only one lookup.
  private static func number(_ place: inout Int) -> Int { place }

  private mutating func add(_ commit: CommitID) {
    if commitIndices[commit] == nil {
      commits.append(commit)
      commitIndices[commit] = commits.count
    }
  }
}

extension ByteWriter {
  package mutating func cellSection(_ cells: [Cell], large: inout [UInt8]?) {
    let tables = CellTables(cells)
    varint(cells.count)
    ordinals(cells.map(\.ordinal))
    varint(tables.entities.count)
    for entity in tables.entities { entityID(entity) }
    varint(tables.keys.count)
    for key in tables.keys { text(key.text) }
    varint(tables.commits.count)
    for commit in tables.commits { commitID(commit) }
    times(cells)
    for indices in tables.indices { varint(indices.entity) }
    for (cell, indices) in zip(cells, tables.indices) {
      content(cell.content, indices, tables.commitIndices, large: &large)
    }
  }

  /// Encodes times: 0 if there are none; 1 and one time for all cells; 2 and an optional time for
  /// each.
  private mutating func times(_ cells: [Cell]) {
    let first = cells.first?.time
    guard cells.allSatisfy({ $0.time == first }) else {
      byte(2)
      for cell in cells { optionalTime(cell.time) }
      return
    }
    optionalTime(first)
  }

  private mutating func optionalTime(_ time: HybridTime?) {
    byte(time == nil ? 0 : 1)
    if let time { fixed(UInt64(bitPattern: time.rawValue)) }
  }

  private mutating func content(
    _ content: Cell.Content,
    _ indices: CellTables.Indices,
    _ commits: [CommitID: Int],
    large: inout [UInt8]?
  ) {
    switch content {
    case .life(let life): self.life(life)
    case .value(_, let value, _):
      let encoding = large == nil ? largeEncoding(of: value) : nil
      byte((encoding == nil ? CellTag.value : .largeValue).rawValue)
      varint(indices.key)
      varint(indices.semanticType)
      if let encoding {
        announce(encoding)
        large = encoding
      } else {
        self.value(value)
      }
    case .removal:
      byte(CellTag.removal.rawValue)
      varint(indices.key)
    case .collection:
      byte(CellTag.collection.rawValue)
      varint(indices.key)
    case .add(let relation, let target, let position, let pairing):
      byte((pairing == nil ? CellTag.add : .pairedAdd).rawValue)
      byte(relation.kind.rawValue)
      varint(indices.key)
      entityID(target)
      counted(position?.bytes ?? [])
      if let pairing {
        byte(pairing.end.rawValue | (pairing.isVoid ? CellTag.voidBit : 0))
        varint(indices.pairKey)
      }
    case .remove(let relation, let target, let adds):
      byte(CellTag.remove.rawValue)
      byte(relation.kind.rawValue)
      varint(indices.key)
      entityID(target)
      varint(adds.count)
      for add in adds {
        varint(add.commit.flatMap { commits[$0] } ?? 0)
        varint(add.ordinal)
      }
    }
  }

  private mutating func life(_ life: Life) {
    switch life {
    case .created(let type, let datestamp):
      byte(CellTag.created.rawValue)
      text(type.text)
      optionalTime(datestamp)
    case .recreated(let type, let datestamp):
      byte(CellTag.recreated.rawValue)
      text(type.text)
      optionalTime(datestamp)
    case .erased: byte(CellTag.erased.rawValue)
    case .restored: byte(CellTag.restored.rawValue)
    }
  }

  /// Returns the encoding of a value that is stored in chunks, or nil for a value that is stored
  /// inline.
  private func largeEncoding(of value: Value) -> [UInt8]? {
    let estimate = value.byteCountEstimate() ?? 0
    guard estimate > BlockContent.chunkByteCount else { return nil }
    var writer = ByteWriter(capacity: estimate + 16)
    writer.value(value)
    return writer.bytes
  }

  /// Writes the number of bytes and the number of chunks that follow.
  private mutating func announce(_ encoding: [UInt8]) {
    let size = BlockContent.chunkByteCount
    varint(encoding.count)
    varint((encoding.count + size - 1) / size)
  }
}

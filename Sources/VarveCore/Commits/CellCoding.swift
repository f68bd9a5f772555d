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
}

/// The texts, identifiers and commits a section of cells names, each written once.
private struct CellTables {
  var entities: [EntityID] = []
  var entityIndices: [EntityID: Int] = [:]
  var keys: [PropertyKey] = []
  var keyIndices: [PropertyKey: Int] = [:]
  var commits: [CommitID] = []
  var commitIndices: [CommitID: Int] = [:]

  init(_ cells: [Cell]) {
    for cell in cells {
      add(cell.entity)
      switch cell.content {
      case .life: break
      case .value(let key, _, let semanticType):
        add(key)
        add(PropertyKey(semanticType))
      case .removal(let key), .collection(let key): add(key)
      case .add(let relation, _, _): add(relation.name)
      case .remove(let relation, _, let adds):
        add(relation.name)
        for add in adds { if let commit = add.commit { self.add(commit) } }
      }
    }
  }

  private mutating func add(_ entity: EntityID) {
    if entityIndices[entity] == nil {
      entityIndices[entity] = entities.count
      entities.append(entity)
    }
  }

  private mutating func add(_ key: PropertyKey) {
    if keyIndices[key] == nil {
      keyIndices[key] = keys.count
      keys.append(key)
    }
  }

  private mutating func add(_ commit: CommitID) {
    if commitIndices[commit] == nil {
      commits.append(commit)
      commitIndices[commit] = commits.count
    }
  }

  func index(of key: PropertyKey) -> Int { keyIndices[key] ?? 0 }
}

extension ByteWriter {
  package mutating func cellSection(_ cells: [Cell], chunks: inout [[UInt8]]) {
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
    for cell in cells { varint(tables.entityIndices[cell.entity] ?? 0) }
    for cell in cells { content(cell.content, tables, chunks: &chunks) }
  }

  /// 0 for no times; 1 and one time for all; 2 and a time, or none, for each.
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
    _ tables: CellTables,
    chunks: inout [[UInt8]]
  ) {
    switch content {
    case .life(let life): self.life(life)
    case .value(let key, let value, let semanticType):
      let isLarge = chunks.isEmpty ? largeEncoding(of: value) : nil
      byte((isLarge == nil ? CellTag.value : .largeValue).rawValue)
      varint(tables.index(of: key))
      varint(tables.index(of: PropertyKey(semanticType)))
      if let isLarge { large(isLarge, chunks: &chunks) } else { self.value(value) }
    case .removal(let key):
      byte(CellTag.removal.rawValue)
      varint(tables.index(of: key))
    case .collection(let key):
      byte(CellTag.collection.rawValue)
      varint(tables.index(of: key))
    case .add(let relation, let target, let position):
      byte(CellTag.add.rawValue)
      byte(relation.kind.rawValue)
      varint(tables.index(of: relation.name))
      entityID(target)
      counted(position?.bytes ?? [])
    case .remove(let relation, let target, let adds):
      byte(CellTag.remove.rawValue)
      byte(relation.kind.rawValue)
      varint(tables.index(of: relation.name))
      entityID(target)
      varint(adds.count)
      for add in adds {
        varint(add.commit.flatMap { tables.commitIndices[$0] } ?? 0)
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

  /// The encoding of a value that goes into chunks, or nil for one that stays in line.
  private func largeEncoding(of value: Value) -> [UInt8]? {
    guard value.byteCountEstimate() ?? 0 > BlockContent.chunkByteCount else { return nil }
    return value.encoded
  }

  private mutating func large(_ bytes: [UInt8], chunks: inout [[UInt8]]) {
    let size = BlockContent.chunkByteCount
    varint(bytes.count)
    varint((bytes.count + size - 1) / size)
    for start in stride(from: 0, to: bytes.count, by: size) {
      chunks.append([BlockContent.chunkTag] + bytes[start..<min(start + size, bytes.count)])
    }
  }
}

/// Decodes sections of cells.
extension ByteReader {
  package mutating func cellSection(
    chunked: inout BlockContent.ChunkedValue?
  ) throws -> [Cell] {
    let cellCount = try count(unit: 2)
    let ordinals = try ordinals(count: cellCount)
    var tables = DecodedTables()
    for _ in 0..<(try count()) { tables.entities.append(try entityID()) }
    for _ in 0..<(try count()) { tables.keys.append(PropertyKey(try text())) }
    for _ in 0..<(try count(unit: 49)) { tables.commits.append(try commitID()) }
    let times = try times(count: cellCount)
    var entities: [EntityID] = []
    entities.reserveCapacity(cellCount)
    for _ in 0..<cellCount { entities.append(try tables.entity(&self)) }
    var cells: [Cell] = []
    cells.reserveCapacity(cellCount)
    for index in 0..<cellCount {
      guard chunked == nil else { throw damaged("a cell follows a large value") }
      cells.append(
        Cell(
          ordinal: ordinals[index],
          entity: entities[index],
          time: times(index),
          content: try cellContent(tables, chunked: &chunked)
        )
      )
    }
    return cells
  }

  struct DecodedTables {
    var entities: [EntityID] = []
    var keys: [PropertyKey] = []
    var commits: [CommitID] = []

    func entity(_ reader: inout ByteReader) throws -> EntityID {
      try element(of: entities, &reader)
    }

    func key(_ reader: inout ByteReader) throws -> PropertyKey {
      try element(of: keys, &reader)
    }

    private func element<Element>(
      of table: [Element],
      _ reader: inout ByteReader
    ) throws -> Element {
      let index = try reader.number()
      guard index < table.count else { throw reader.damaged("a cell names nothing in its table") }
      return table[index]
    }
  }

  mutating func times(count: Int) throws -> (Int) -> HybridTime? {
    switch try byte() {
    case 0: return { _ in nil }
    case 1:
      let time = HybridTime(rawValue: Int64(bitPattern: try fixed()))
      return { _ in time }
    case 2:
      var times: [HybridTime?] = []
      for _ in 0..<count { times.append(try optionalTime()) }
      return { times[$0] }
    default: throw damaged("times have an unknown mode")
    }
  }

  mutating func cellContent(
    _ tables: DecodedTables,
    chunked: inout BlockContent.ChunkedValue?
  ) throws -> Cell.Content {
    switch CellTag(rawValue: try byte()) {
    case .created:
      return .life(.created(EntityType(try text()), datestamp: try optionalTime()))
    case .recreated:
      return .life(.recreated(EntityType(try text()), datestamp: try optionalTime()))
    case .erased: return .life(.erased)
    case .restored: return .life(.restored)
    case .value:
      let (key, semanticType) = (try tables.key(&self), try tables.key(&self))
      return .value(key, try value(), semanticType: semanticType.text)
    case .largeValue:
      let (key, semanticType) = (try tables.key(&self), try tables.key(&self))
      chunked = .init(byteCount: try number(), chunkCount: try number())
      return .value(key, .bool(false), semanticType: semanticType.text)
    case .removal: return .removal(try tables.key(&self))
    case .collection: return .collection(try tables.key(&self))
    case .add: return try addContent(tables, isPaired: false)
    case .pairedAdd: return try addContent(tables, isPaired: true)
    case .remove: return try removeContent(tables)
    case nil: throw damaged("a cell has an unknown tag")
    }
  }

  private mutating func addContent(
    _ tables: DecodedTables,
    isPaired: Bool
  ) throws -> Cell.Content {
    let relation = try relation(tables)
    let target = try entityID()
    let position = Array(try counted())
    return .add(
      relation,
      target: target,
      position: position.isEmpty ? nil : ListPosition(bytes: position),
      pairing: isPaired ? try pairing(of: relation, tables) : nil
    )
  }

  private mutating func pairing(
    of relation: Relation,
    _ tables: DecodedTables
  ) throws -> Pairing {
    let form = try byte()
    let isVoid = form & CellTag.voidBit != 0
    guard let end = Pairing.End(rawValue: form & ~CellTag.voidBit), relation.kind != .member else {
      throw damaged("an edge is paired with nothing")
    }
    return Pairing(try tables.key(&self), at: end, isVoid: isVoid)
  }

  private mutating func relation(_ tables: DecodedTables) throws -> Relation {
    guard let kind = Relation.Kind(rawValue: try byte()) else {
      throw damaged("a relation has an unknown kind")
    }
    return Relation(kind, try tables.key(&self))
  }

  private mutating func removeContent(_ tables: DecodedTables) throws -> Cell.Content {
    let relation = try relation(tables)
    let target = try entityID()
    var adds: [AddID] = []
    for _ in 0..<(try count(unit: 2)) {
      let index = try number()
      guard index <= tables.commits.count else { throw damaged("a removal names no commit") }
      let commit = index == 0 ? nil : tables.commits[index - 1]
      adds.append(AddID(commit: commit, ordinal: try number()))
    }
    return .remove(relation, target: target, adds: adds)
  }
}

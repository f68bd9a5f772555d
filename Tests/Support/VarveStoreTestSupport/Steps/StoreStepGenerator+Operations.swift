import Foundation
import VarveCore
import VarveStore
import VarveTestSupport

extension StoreStepGenerator {
  package mutating func operation() -> StoreOperation {
    if habits.contains(.purges), random.chance(3) { return .purge([someone()]) }
    if habits.contains(.selects), random.chance(8) { return attempt() }
    if habits.contains(.selects), random.chance(15) { return selecting() }
    if habits.contains(.saves), random.chance(25) { return save() }
    switch mood {
    case .lives where random.chance(70): return life()
    case .collections where random.chance(60): return arrange(someone())
    case .values where random.chance(70): return assignment()
    default: break
    }
    switch Int.random(in: 0..<100, using: &random) {
    case ..<40: return assignment()
    case ..<55: return arrange(someone())
    case ..<58:
      let policy = random.pick(DuplicatePolicy.allCases)
      let (other, kept) = (someone(), someone())
      // Merging an entity into itself does nothing.
      guard other != kept else { return .removeRepetitions(kept, random.pick(cast.collections)) }
      return .mergeDuplicates([other], into: kept, policy, at: date())
    default: return life()
    }
  }

  private mutating func attempt() -> StoreOperation {
    let count = Int.random(in: 1...3, using: &random)
    var operations: [StoreOperation] = []
    for _ in 0..<count { operations.append(random.chance(50) ? assignment() : life()) }
    return .attempt(operations, fails: random.chance(60))
  }

  /// Returns a write to all entities of a query, or to an entity that has a value.
  private mutating func selecting() -> StoreOperation {
    let (type, key) = (random.pick(cast.types), random.pick(cast.keys))
    var values = properties()
    values[key] = values[key] ?? StoredEntity.Property(.int(1))
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .upsert(type, key, random.pick(cast.ids), values, at: date())
    case 1: return .insert(type, key, random.pick(cast.ids), values, at: date())
    case 2:
      let expected = random.pick([.int(1), .string("red"), nil] as [Value?])
      return .updateExpecting(someone(), changes().mapValues { $0?.value }, key, expected)
    case 3: return .eraseAll(selection(type, key), at: date())
    case 4 where habits.contains(.saves):
      let stall = random.chance(50) ? random.pick(cast.stalls) : nil
      return .updateCaps(random.pick(["red", "blue"]), size: random.pick([1, 2]), stall: stall)
    default: return .updateAll(selection(type, key), changes(), at: date())
    }
  }

  private mutating func selection(_ type: EntityType, _ key: PropertyKey) -> StoreSelection {
    let condition: StoreSelection.Kind =
      switch Int.random(in: 0..<6, using: &random) {
      case 0: .missing
      case 1, 2: .equals(value())
      case 3: .above(.int(0))
      default: .anything
      }
    let limit = random.chance(20) ? Int.random(in: 0...2, using: &random) : nil
    return StoreSelection(type: type, key: key, condition: condition, limit: limit)
  }

  /// Returns an operation on the values of an entity.
  private mutating func assignment() -> StoreOperation {
    let id = someone()
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .save(id, random.pick(cast.types), properties(), at: date())
    case 1, 2: return .update(id, changes(), at: date())
    default:
      let value = random.chance(85) ? value() : nil
      let semanticType = random.chance(10) ? "address" : nil
      return .set(id, random.pick(cast.keys), value, semanticType: semanticType, at: date())
    }
  }

  /// Returns an operation on lives and ownerships.
  private mutating func life() -> StoreOperation {
    let (id, other) = (someone(), someone())
    let kind = random.pick([.owns, .owns, .ownedBy, .free] as [RelationKind])
    let name = random.chance(80) ? cast.names[0] : cast.names[1]
    switch Int.random(in: 0..<20, using: &random) {
    case ..<5: return .create(id, random.pick(cast.types), properties(), at: date())
    case 5: return createMany()
    case ..<11: return .relate(id, kind, other, named: name, at: date())
    case ..<13:
      let orphans = random.chance(60) ? nil : random.pick(OrphanPolicy.allCases)
      return .unrelate(id, kind, other, named: name, orphans, at: date())
    case ..<16:
      let ids = random.chance(80) ? [id] : [id, other, "never heard of"]
      return .erase(ids, strict: random.chance(20), at: date())
    case ..<19: return .restore(id, random.pick(RestoreMode.allCases), at: date())
    default: return .makeRoot(id, at: date())
    }
  }

  mutating func creation(_ id: EntityID) -> StoreOperation {
    .create(id, random.pick(cast.types), properties(), at: nil)
  }

  private mutating func someone() -> EntityID {
    if !subjects.isEmpty, random.chance(75) { return random.pick(subjects) }
    return habits.contains(.saves) && random.chance(15)
      ? random.pick(cast.all) : random.pick(cast.ids)
  }

  /// Returns mostly nil, otherwise one of few dates.
  mutating func date() -> Date? {
    random.chance(22) ? random.pick([cast.dates[1]] + cast.dates) : nil
  }

  /// Returns mostly one of few values, so that values repeat.
  private mutating func value() -> Value {
    random.chance(70)
      ? random.pick([.int(1), .int(2), .string("red")]) : random.value(references: cast.ids)
  }

  private mutating func property() -> StoredEntity.Property {
    StoredEntity.Property(value(), semanticType: random.chance(10) ? "address" : nil)
  }

  private mutating func properties() -> [PropertyKey: StoredEntity.Property] {
    var properties: [PropertyKey: StoredEntity.Property] = [:]
    for key in cast.keys where random.chance(35) { properties[key] = property() }
    return properties
  }

  private mutating func changes() -> [PropertyKey: StoredEntity.Property?] {
    var changes: [PropertyKey: StoredEntity.Property?] = [:]
    for key in cast.keys where random.chance(40) {
      changes[key] = .some(random.chance(80) ? property() : nil)
    }
    return changes
  }

  private mutating func createMany() -> StoreOperation {
    let ids = cast.ids.filter { _ in random.chance(40) }
    let keys = cast.keys.filter { _ in random.chance(50) }
    var rows: [[Value?]] = []
    for _ in ids {
      var row: [Value?] = []
      for _ in keys { row.append(random.chance(80) ? value() : nil) }
      rows.append(row)
    }
    return .createMany(random.pick(cast.types), ids, keys, rows, at: date())
  }

  private mutating func arrange(_ id: EntityID) -> StoreOperation {
    let count = Int.random(in: 0...4, using: &random)
    let targets = (0..<count).map { _ in random.pick(cast.ids + ["never heard of"]) }
    return .arrange(
      id,
      random.chance(90) ? random.pick(cast.collections) : random.pick(cast.keys),
      random.pick([.set, .set, .add, .remove] as [StoreOperation.Arranging]),
      targets,
      random.pick(CollectionKind.allCases),
      at: random.chance(10) ? random.pick(cast.dates) : nil
    )
  }

  private mutating func save() -> StoreOperation {
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: return .saveUnchanged(random.pick(cast.stalls + cast.caps))
    // It removes the reference with the edge.
    case 2:
      let (stall, cap) = (random.pick(cast.stalls), random.pick(cast.caps))
      return random.chance(50)
        ? .unrelate(stall, .owns, cap, named: "caps", nil, at: date())
        : .unrelate(cap, .ownedBy, stall, named: "caps", nil, at: date())
    case 3, 4:
      let caps = random.chance(50) ? cast.caps.filter { _ in random.chance(40) } : nil
      let shelf = random.chance(40) ? cast.caps.filter { _ in random.chance(50) } : nil
      return .saveStall(
        random.pick(cast.stalls),
        random.pick(["a", "b"]),
        caps: caps,
        shelf: shelf
      )
    default:
      let stall = random.chance(75) ? random.pick(cast.stalls) : nil
      let size = random.pick([nil, 1, 2] as [Int?])
      return .saveCap(random.pick(cast.caps), random.pick(["red", "blue"]), size, stall: stall)
    }
  }
}

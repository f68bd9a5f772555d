import Foundation
import VarveCore
import VarveStore
import VarveTestSupport

/// Groups of steps that rarely come about one by one.
extension StoreStepGenerator {
  /// Synchronises all sessions, makes concurrent writes about an owner and what it owns, and
  /// synchronises in some order.
  mutating func clash() -> [StoreStep] {
    let (first, last) = (sessionCount - 2, sessionCount - 1)
    let (owner, owned) = (random.pick(cast.ids), random.pick(cast.ids))
    subjects = [owner, owned, owned]
    defer { subjects = [] }
    var steps = mood == .lives || random.chance(30) ? before(owner, owned) : []
    steps += [.sync(0, first), .sync(first, last), .sync(0, first)]
    for session in [0, first, last] {
      var operations: [StoreOperation] = []
      for _ in 0..<random.pick([1, 1, 2, 3]) {
        operations += steps.count > 3 ? turn(of: owner, owned) : [operation()]
      }
      steps.append(.write(session, operations, at: nil, .commits))
      if random.chance(30) { steps.append(.advance(milliseconds: 1)) }
    }
    for _ in 0..<3 {
      let one = random.pick([0, first, last])
      let other = random.pick([0, first, last].filter { $0 != one })
      steps.append(
        random.chance(50) ? .sync(one, other) : .merge(from: one, into: other, percent: 100)
      )
    }
    if random.chance(50) { steps.append(.settle(0, pick: 0, .death)) }
    return steps
  }

  /// Returns the steps before a clash of an owner and what it owns.
  private mutating func before(_ owner: EntityID, _ owned: EntityID) -> [StoreStep] {
    let type = random.pick(cast.types)
    var operations: [StoreOperation] = [
      .create(owner, type, [:], at: nil), .create(owned, type, [:], at: nil),
      .relate(owner, .owns, owned, named: "", at: nil),
    ]
    if random.chance(40) {
      operations.append(.unrelate(owner, .owns, owned, named: "", nil, at: nil))
    }
    if random.chance(60) {
      operations.append(.erase([random.pick([owner, owned])], strict: false, at: nil))
    }
    return operations.map { .write(0, [$0], at: nil, .commits) }
  }

  /// Returns the writes of one session in a clash.
  private mutating func turn(of owner: EntityID, _ owned: EntityID) -> [StoreOperation] {
    let (type, one) = (random.pick(cast.types), random.pick([owner, owned, owned]))
    let restored = StoreOperation.restore(one, .asRoot, at: nil)
    let related = StoreOperation.relate(owner, .owns, owned, named: "", at: nil)
    let date = random.chance(50) ? random.pick(cast.dates) : nil
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1: return [.create(one, type, [:], at: date)]
    case 2: return [restored, related]
    case 3: return [.erase([owner], strict: false, at: nil), .create(owner, type, [:], at: date)]
    case 4: return [.set(owned, cast.keys[0], .int(3), semanticType: nil, at: nil)]
    case 5: return [related]
    default: return [operation()]
    }
  }

  /// Purges an entity, or what it owned, in a session where it is dead, while it lives in another.
  mutating func forgetting() -> [StoreStep] {
    let (first, second) = (Int.random(in: 0..<sessionCount, using: &random), sessionCount - 2)
    let other = first == second ? sessionCount - 1 : second
    let (owner, owned) = (random.pick(cast.ids), random.pick(cast.ids))
    var operations = [creation(owner), creation(owned)]
    if random.chance(50) {
      operations.append(.relate(owner, .owns, owned, named: "", at: nil))
    }
    let purge = StoreStep.write(first, [.purge([random.pick([owner, owned])])], at: nil, .commits)
    return [
      .write(first, operations, at: nil, .commits),
      .write(first, [.erase([owner], strict: false, at: nil)], at: nil, .commits),
      .sync(first, other),
      .write(other, [.restore(owner, .asRoot, at: nil)], at: nil, .commits),
      .advance(milliseconds: random.pick([1, 1_000])), purge,
      .write(other, [operation()], at: nil, .commits),
      random.chance(50) ? .sync(first, other) : .merge(from: first, into: other, percent: 100),
    ]
  }

  /// Assigns one property different values as of one instant.
  mutating func insistence() -> [StoreStep] {
    let session = Int.random(in: 0..<sessionCount, using: &random)
    let (id, key, date) = (random.pick(cast.ids), random.pick(cast.keys), random.pick(cast.dates))
    let values = [0, 1, 0, random.pick([0, 1])] as [Int64]
    var operations: [StoreOperation] = [.create(id, cast.types[0], [:], at: nil)]
    for value in values {
      operations.append(
        random.chance(80)
          ? .set(id, key, .int(value), semanticType: nil, at: date)
          : .update(id, [key: StoredEntity.Property(.int(value))], at: date)
      )
    }
    return random.chance(30)
      ? [.write(session, operations, at: nil, .commits)]
      : operations.map { .write(session, [$0], at: nil, .commits) }
  }
}

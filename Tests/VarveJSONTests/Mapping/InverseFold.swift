import VarveJSON
import VarveStore

/// What a document does to relations and their inverses, by the definition: every entity exists,
/// and a relation is a list of names, or absent if it was never set.
struct InverseFold {
  /// A relation of one entity.
  struct Slot: Hashable {
    let entity: String
    let key: String
  }

  /// How a line of a mapping treats its relation.
  struct Line {
    let key: String
    let many: CollectionKind?
    let policy: RelationPolicy
    /// The property of the targets that names the entity back, if the line declares it.
    let inverse: String?
  }

  /// One relation in one object; nil for null.
  struct Saying {
    let slot: Slot
    let targets: [String]?
  }

  /// The lines, by key.
  let lines: [String: Line]
  private(set) var content: [Slot: [String]] = [:]

  init(_ lines: [Line]) {
    self.lines = Dictionary(uniqueKeysWithValues: lines.map { ($0.key, $0) })
  }

  /// Applies the relations of all objects of a document, in their order.
  mutating func take(_ sayings: [Saying]) {
    var named: [Slot: Set<String>] = [:]
    var changed = Changed()
    for saying in sayings {
      guard let line = lines[saying.slot.key] else { continue }
      changed.note(saying.slot, content)
      state(saying, line, &named)
    }
    for isToMany in [false, true] {
      for saying in sayings {
        guard let inverse = lines[saying.slot.key]?.inverse,
          (lines[inverse]?.many != nil) == isToMany
        else { continue }
        let all = saying.targets ?? []
        let targets = lines[saying.slot.key]?.many == nil ? Array(all.prefix(1)) : all
        for target in targets where named[saying.slot]?.contains(target) == true {
          declare(saying.slot, inverse, of: target, &changed)
        }
      }
    }
    for slot in changed.order {
      guard let inverse = lines[slot.key]?.inverse else { continue }
      for target in changed.earlier[slot] ?? [] where content[slot]?.contains(target) != true {
        takeBack(slot.entity, inverse, of: target, named)
      }
    }
  }

  /// The relations that change, in order, with all that they had.
  private struct Changed {
    var order: [Slot] = []
    var earlier: [Slot: [String]] = [:]

    mutating func note(_ slot: Slot, _ content: [Slot: [String]]) {
      if earlier[slot] == nil { order.append(slot) }
      earlier[slot, default: []] += content[slot] ?? []
    }
  }

  private mutating func state(_ saying: Saying, _ line: Line, _ named: inout [Slot: Set<String>]) {
    let (slot, targets) = (saying.slot, saying.targets ?? [])
    guard line.many != nil else {
      content[slot] = Array(targets.prefix(1))
      named[slot] = Set(targets.prefix(1))
      return
    }
    guard line.policy == .merge else {
      content[slot] = targets
      named[slot] = Set(targets)
      return
    }
    named[slot, default: []].formUnion(targets)
    var counts = (content[slot] ?? []).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    for target in targets {
      counts[target, default: 0] -= 1
      let isMissing = counts[target, default: 0] < 0
      if line.many != .list, content[slot]?.contains(target) == true { continue }
      if isMissing { content[slot, default: []].append(target) }
    }
  }

  private mutating func declare(
    _ slot: Slot,
    _ inverse: String,
    of target: String,
    _ changed: inout Changed
  ) {
    // The relation may have got another target as the inverse of that.
    if lines[slot.key]?.many == nil, content[slot] != [target] { return }
    let back = Slot(entity: target, key: inverse)
    if lines[inverse]?.many != nil {
      guard content[back]?.contains(slot.entity) != true else { return }
      content[back, default: []].append(slot.entity)
    } else {
      if changed.earlier[back] == nil { changed.note(back, content) }
      content[back] = [slot.entity]
    }
  }

  /// Removes an entity from the inverse of a target that it lost, unless the document says otherwise.
  private mutating func takeBack(
    _ entity: String,
    _ inverse: String,
    of target: String,
    _ named: [Slot: Set<String>]
  ) {
    let slot = Slot(entity: target, key: inverse)
    guard named[slot]?.contains(entity) != true else { return }
    let isImplied = lines.values.contains { line in
      line.inverse == inverse
        && named[Slot(entity: entity, key: line.key)]?.contains(target) == true
    }
    if !isImplied { content[slot]?.removeAll { $0 == entity } }
  }

  /// Returns the content of a relation in a form that does not depend on how it came about.
  static func plain(_ targets: [String], _ many: CollectionKind?) -> [String] {
    var seen: Set<String> = []
    switch many {
    case nil, .list: return targets
    case .orderedSet: return targets.filter { seen.insert($0).inserted }
    case .set: return Set(targets).sorted()
    }
  }
}

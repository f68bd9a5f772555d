import VarveCore

/// The ownerships of entities as a graph of numbers. Its algorithms take linear time and memory,
/// and use no recursion.
struct OwnershipGraph {
  private var ids: [EntityID] = []
  private var numbers: [EntityID: Int] = [:]
  private var owned: [[Int]] = []
  private var isOwned: [Bool] = []
  /// Whether a root reaches each entity; empty until computed.
  private var isReached: [Bool] = []

  /// Adds an ownership.
  mutating func add(owner: EntityID, owned id: EntityID) {
    let (owner, id) = (number(of: owner), number(of: id))
    owned[owner].append(id)
    isOwned[id] = true
  }

  private mutating func number(of id: EntityID) -> Int {
    if let number = numbers[id] { return number }
    numbers[id] = ids.count
    ids.append(id)
    owned.append([])
    isOwned.append(false)
    return ids.count - 1
  }

  /// Returns the entities that no root reaches: members of cycles, and what only these own.
  mutating func unreached() -> [EntityID] {
    isReached = Array(repeating: false, count: ids.count)
    for number in ids.indices where !isOwned[number] { reach(from: number) }
    return ids.indices.filter { !isReached[$0] }.map { ids[$0] }
  }

  /// Marks an entity as a root.
  mutating func reach(from id: EntityID) {
    if let number = numbers[id] { reach(from: number) }
  }

  private mutating func reach(from root: Int) {
    guard !isReached[root] else { return }
    isReached[root] = true
    var pending = [root]
    while let number = pending.popLast() {
      for next in owned[number] where !isReached[next] {
        isReached[next] = true
        pending.append(next)
      }
    }
  }

  /// Returns the topmost cycles among the unreached: each the members of a strongly connected
  /// component into which no other leads.
  func cycles() -> [[EntityID]] {
    let component = components()
    var members: [Int: [EntityID]] = [:]
    var isBelow: Set<Int> = []
    for number in ids.indices where component[number] >= 0 {
      members[component[number], default: []].append(ids[number])
      for next in owned[number] where component[next] != component[number] {
        isBelow.insert(component[next])
      }
    }
    return members.filter { !isBelow.contains($0.key) }.map(\.value)
  }

  /// Returns the number of the strongly connected component of each unreached entity, by Tarjan's
  /// algorithm (R. Tarjan, "Depth-first search and linear graph algorithms", 1972) with an explicit
  /// stack; -1 for the reached.
  private func components() -> [Int] {
    var component = Array(repeating: -1, count: ids.count)
    var index = Array(repeating: -1, count: ids.count)
    var lowest = index
    var open: [Int] = []
    var path: [(number: Int, next: Int)] = []
    var (indexCount, componentCount) = (0, 0)
    for start in ids.indices where !isReached[start] && index[start] < 0 {
      path.append((start, 0))
      while let (number, next) = path.last {
        if next == 0 {
          (index[number], lowest[number]) = (indexCount, indexCount)
          indexCount += 1
          open.append(number)
        }
        if next < owned[number].count {
          path[path.count - 1].next += 1
          let target = owned[number][next]
          if index[target] < 0 {
            path.append((target, 0))
          } else if component[target] < 0 {
            lowest[number] = min(lowest[number], index[target])
          }
          continue
        }
        path.removeLast()
        if let owner = path.last?.number { lowest[owner] = min(lowest[owner], lowest[number]) }
        guard lowest[number] == index[number] else { continue }
        while let member = open.popLast() {
          component[member] = componentCount
          if member == number { break }
        }
        componentCount += 1
      }
    }
    return component
  }
}

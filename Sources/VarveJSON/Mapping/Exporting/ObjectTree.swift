import VarveCore

/// An object whose members may be nested: key paths become nested objects. A nested one whose names
/// are indices, the first of them 0, is an array.
struct ObjectTree {
  private indirect enum Node {
    case leaf(JSON)
    case tree(ObjectTree)
  }

  private var members: [(name: String, node: Node)] = []

  /// Sets the value at the end of a path. An object replaces a value on the way.
  mutating func set(_ path: KeyPathInJSON, _ json: JSON) { set(path.names[...], json) }

  private mutating func set(_ names: ArraySlice<String>, _ json: JSON) {
    guard let name = names.first else { return }
    let rest = names.dropFirst()
    let index: Int
    if let known = members.firstIndex(where: { $0.name.isSame(as: name) }) {
      index = known
    } else {
      index = members.count
      members.append((name, rest.isEmpty ? .leaf(json) : .tree(ObjectTree())))
    }
    if rest.isEmpty {
      members[index].node = .leaf(json)
      return
    }
    var tree = if case .tree(let tree) = members[index].node { tree } else { ObjectTree() }
    tree.set(rest, json)
    members[index].node = .tree(tree)
  }

  /// The object.
  var json: JSON {
    .object(
      members.map { name, node in
        switch node {
        case .leaf(let json): JSON.Member(name: name, value: json)
        case .tree(let tree): JSON.Member(name: name, value: tree.array ?? tree.json)
        }
      }
    )
  }

  /// The greatest index of an element that is written, because those before it are written too.
  private static let lastIndex = 1_000

  /// The elements, if the names are indices; null at those that have no name.
  private var array: JSON? {
    let indices = members.map { JSONPointer.index($0.name) }
    let known = indices.compactMap(\.self)
    guard known.count == members.count, known.contains(0), let last = known.max(),
      last <= Self.lastIndex
    else { return nil }
    var elements = [JSON](repeating: .null, count: last + 1)
    for (index, member) in zip(known, members) {
      switch member.node {
      case .leaf(let json): elements[index] = json
      case .tree(let tree): elements[index] = tree.array ?? tree.json
      }
    }
    return .array(elements)
  }
}

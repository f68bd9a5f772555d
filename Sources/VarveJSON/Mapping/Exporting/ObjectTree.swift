import VarveCore

/// An object whose members may be nested: key paths become nested objects.
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
    if let known = members.firstIndex(where: { $0.name == name }) {
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

  var json: JSON {
    .object(
      members.map { name, node in
        switch node {
        case .leaf(let json): JSON.Member(name: name, value: json)
        case .tree(let tree): JSON.Member(name: name, value: tree.json)
        }
      }
    )
  }
}

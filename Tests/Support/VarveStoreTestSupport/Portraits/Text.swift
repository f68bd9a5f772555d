import VarveCore

/// Text for the content of a store, exact to the byte.
enum Text {
  static func of(_ time: HybridTime) -> String { "\(time.millisecondsSince1970).\(time.counter)" }

  static func of(_ value: Value) -> String {
    String(hexadecimal: value.encoded)
  }

  static func of(_ property: StoredEntity.Property) -> String {
    "\(of(property.value)) \(property.semanticType)"
  }

  static func of(_ content: Cell.Content) -> String {
    switch content {
    case .life(let life): "\(life)"
    case .value(let key, let value, let semanticType):
      "\(key) = \(of(StoredEntity.Property(value, semanticType: semanticType)))"
    case .removal(let key): "\(key) removed"
    case .collection(let key): "\(key) is to-many"
    case .add(let relation, let target, _, _): "add \(relation.kind) \(relation.name) \(target)"
    case .remove(let relation, let target, _): "remove \(relation.kind) \(relation.name) \(target)"
    }
  }

  static func name(_ commit: CommitSummary) -> String {
    "\(commit.id.replica.text.prefix(8))#\(commit.id.sequence)"
  }

  /// Returns versions as lines, newest first. Cells of several properties with one commit and time
  /// are sorted, because they have no order of their own.
  static func inOrder(_ versions: [Version]) -> [String] {
    var lines: [String] = []
    var rest = versions[...]
    while let first = rest.first {
      let group = rest.prefix { $0.time == first.time && $0.commit.id == first.commit.id }
      rest = rest.dropFirst(group.count)
      let names = "\(of(first.time)) \(name(first.commit))"
      lines += group.map { "\(names) \(of($0.content))" }.sorted()
    }
    return lines
  }
}

/// Renders the code of a class. A subclass first reads and writes what its superclass stores.
extension ClassSpec {
  /// The members added to the class itself.
  package var members: [String] {
    let identifier = isSubclass || declaresIdentifier ? [] : [identifierDeclaration]
    return [kindDeclaration] + identifier + [
      initializer, reading, writing, storedNames, rootedNames,
    ]
  }

  /// Returns the extension with the conformance, for a class that does not inherit it.
  package func extending(_ type: String) -> String {
    let isolation = actor.map { "@\($0) " } ?? ""
    let modifier = isNonisolated ? "nonisolated " : ""
    return "\(modifier)extension \(type): \(isolation)Varve.StoredObject {}"
  }

  private var kindDeclaration: String {
    let modifiers = isSubclass ? "override class" : isFinal ? "static" : "class"
    return overridable("\(modifiers) var kind: Varve.EntityType { \(kind) }")
  }

  private var identifierDeclaration: String {
    prefixed("private(set) var id: Varve.EntityID = .new()")
  }

  /// Properties with a default value are set last, because setting an observed property requires a
  /// complete object.
  private var initializer: String {
    let reads = properties.filter { $0.defaultValue == nil }.map { property in
      "self.\(property.name) = try row.read(\(property.storedName.debugDescription))"
    }
    let later = properties.filter { $0.defaultValue != nil }.map { property in
      let name = property.storedName.debugDescription
      return "if row[\(name)] != nil { self.\(property.name) = try row.read(\(name)) }"
    }
    let rest = isSubclass ? "try super.init(row: row)" : "self.id = row.id"
    let head = "required init(row: Varve.ObjectRow) throws"
    return prefixed(function(head, reads + [rest] + later))
  }

  private var reading: String {
    let reads = properties.map { property in
      let rest = property.defaultValue.map { ", default: \($0)" } ?? ""
      return "self.\(property.name) = try row.read(\(property.storedName.debugDescription)\(rest))"
    }
    let above = isSubclass ? ["try super.read(row)"] : []
    return overriding(function("func read(_ row: Varve.ObjectRow) throws", above + reads))
  }

  private var writing: String {
    let writes = properties.flatMap { property in
      let name = property.storedName.debugDescription
      let set = "try values.set(\(name), self.\(property.name))"
      return property.isOwning ? [set, "values.own(\(name))"] : [set]
    }
    let above = isSubclass ? ["try super.write(to: &values)"] : []
    let head = "func write(to values: inout Varve.ObjectValues) throws"
    return overriding(function(head, above + writes))
  }

  private var storedNames: String {
    let modifiers = isSubclass ? "override class" : isFinal ? "static" : "class"
    let head = "\(modifiers) var storedProperties: \(Self.names)"
    return overridable("\(head) { storedProperties(of: \(name).self) }")
  }

  /// The stored names by key paths that begin at a class below. A class cannot name those of its
  /// superclass, and a key path to the same property that begins at another class is not equal.
  private var rootedNames: String {
    let own = properties.map { "\\VarveRoot.\($0.name): \($0.storedName.debugDescription)" }
    let pairs = (isSubclass ? [] : ["\\VarveRoot.id: \"\""]) + own
    let list = "[\(pairs.joined(separator: ", "))]"
    let above = "super.storedProperties(of: root)"
    let body =
      isSubclass ? (own.isEmpty ? above : "\(above).merging(\(list)) { $1 }") : list
    let head = "static func storedProperties<VarveRoot: \(name)>(of root: VarveRoot.Type)"
    return prefixed(function("\(head) -> \(Self.names)", [body]))
  }

  private static var names: String { "[Swift.AnyKeyPath: Varve.PropertyKey]" }

  private func overriding(_ declaration: String) -> String {
    overridable((isSubclass ? "override " : "") + declaration)
  }

  /// Prefixes a member that subclasses override, in other modules too if the class is open.
  private func overridable(_ declaration: String) -> String {
    (access.map { $0 + " " } ?? "") + declaration
  }

  private func prefixed(_ declaration: String) -> String {
    (access.map { ($0 == "open" ? "public" : $0) + " " } ?? "") + declaration
  }

  private func function(_ head: String, _ statements: [String]) -> String {
    """
    \(head) {
    \(statements.map { "  " + $0 }.joined(separator: "\n"))
    }
    """
  }
}

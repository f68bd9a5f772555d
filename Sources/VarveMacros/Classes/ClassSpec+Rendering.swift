/// The code generated for a class. A subclass reads and writes what the class above does, first.
extension ClassSpec {
  /// What is added to the class itself.
  package var members: [String] {
    let identifier = isSubclass || declaresIdentifier ? [] : [identifierDeclaration]
    return [kindDeclaration] + identifier + [initializer, reading, writing]
  }

  private var kindDeclaration: String {
    let modifiers = isSubclass ? "override class" : isFinal ? "static" : "class"
    return prefixed("\(modifiers) var kind: Varve.EntityType { \(kind) }")
  }

  private var identifierDeclaration: String {
    prefixed("private(set) var id: Varve.EntityID = .new()")
  }

  private var initializer: String {
    let reads = properties.map { property in
      // Its own default stands already.
      let read = "self.\(property.name) = try row.read(\(property.storedName.debugDescription))"
      guard property.defaultValue != nil else { return read }
      return "if row[\(property.storedName.debugDescription)] != nil { \(read) }"
    }
    let rest = isSubclass ? "try super.init(row: row)" : "self.id = row.id"
    return prefixed(function("required init(row: Varve.ObjectRow) throws", reads + [rest]))
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
    let writes = properties.map { property in
      "try values.set(\(property.storedName.debugDescription), self.\(property.name))"
    }
    let above = isSubclass ? ["try super.write(to: &values)"] : []
    let head = "func write(to values: inout Varve.ObjectValues) throws"
    return overriding(function(head, above + writes))
  }

  private func overriding(_ declaration: String) -> String {
    prefixed((isSubclass ? "override " : "") + declaration)
  }

  private func prefixed(_ declaration: String) -> String {
    (access.map { $0 + " " } ?? "") + declaration
  }

  private func function(_ head: String, _ statements: [String]) -> String {
    """
    \(head) {
    \(statements.map { "  " + $0 }.joined(separator: "\n"))
    }
    """
  }
}

/// Renders the code of a model.
///
/// Varve's names are qualified with the module, because a model may be called `Schema`. The user's
/// expressions are repeated only inside the struct, because an extension cannot resolve the names
/// around a nested struct.
extension EntitySpec {
  /// The members added to the struct itself.
  package var members: [String] { ([schema, write] + equalityMembers).map { prefixed($0) } }

  /// Returns the extension with the conformance and the initialiser, which is outside the struct so
  /// that the struct keeps its own.
  ///
  /// - Parameters:
  ///   - type: the struct's name as used outside it.
  ///   - isConforming: false if the struct itself declares the conformance.
  package func extending(_ type: String, isConforming: Bool = true) -> String {
    let conformance = isConforming ? ": Varve.Persistable" : ""
    let attributes = availability.map { $0 + "\n" }.joined()
    return """
      \(attributes)nonisolated extension \(type)\(conformance) {
      \(indented(prefixed(initializer, isolation: "")))
      }
      """
  }

  private var schema: String {
    let fields = properties.map { property in
      let options = property.options.map { ", " + $0 }.joined()
      return """
          Varve.SchemaField(\(property.storedName.debugDescription), \\.\(property.name)\(options))
        """
    }
    return """
      static let schema: Varve.Schema<Self> = Varve.Schema\(schemaArguments) {
      \(fields.joined(separator: "\n"))
      }
      """
  }

  private var schemaArguments: String {
    var arguments: [String] = []
    if let type { arguments.append(type) }
    if let model { arguments.append("model: \(model)") }
    if let renamedFrom { arguments.append("renamedFrom: \(renamedFrom)") }
    if !uniqueTogether.isEmpty { arguments.append("uniqueTogether: \(uniqueTogether)") }
    if !indexedTogether.isEmpty { arguments.append("indexedTogether: \(indexedTogether)") }
    return arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
  }

  private var initializer: String {
    memberwiseIdentifier.map(delegatingInitializer) ?? assigningInitializer
  }

  private func delegatingInitializer(identifierAfter count: Int) -> String {
    var arguments: [String] = []
    var position = 0
    for property in properties {
      switch property.storage {
      case .many: arguments.append("\(property.name): Varve.Many()")
      case .column:
        arguments.append("\(property.name): row.read(\(position))")
        position += 1
      }
    }
    arguments.insert("id: row.id()", at: count)
    let list = arguments.map { "  " + $0 }.joined(separator: ",\n  ")
    return function(
      "init(row: Varve.EntityRow) throws",
      ["try self.init(\n  \(list)\n  )"]
    )
  }

  private var assigningInitializer: String {
    var statements = ["self.id = try row.id()"]
    var position = 0
    for property in properties {
      let place = "self.\(property.name)"
      switch property.storage {
      case .many: statements.append("\(place) = Varve.Many()")
      case .column(let hasDefault):
        let rest = hasDefault ? ", default: \(place)" : ""
        statements.append("\(place) = try row.read(\(position)\(rest))")
        position += 1
      }
    }
    return function("init(row: Varve.EntityRow) throws", statements)
  }

  private var write: String {
    function(
      "func write(to values: inout Varve.PropertyValues) throws",
      properties.filter(\.isColumn).map { "try values.append(self.\($0.name))" }
    )
  }

  /// The generated equality, with one statement per property, because the compiler takes too long
  /// for long conjunctions.
  private var equalityMembers: [String] {
    guard let equality else { return [] }
    let equals = function(
      "static func == (left: Self, right: Self) -> Bool",
      equality.properties.map { "guard left.\($0) == right.\($0) else { return false }" }
        + ["return true"]
    )
    guard equality.isHashed else { return [equals] }
    let hash = function(
      "func hash(into hasher: inout Swift.Hasher)",
      equality.properties.map { "hasher.combine(self.\($0))" }
    )
    return [equals, hash]
  }

  private func function(_ head: String, _ statements: [String]) -> String {
    """
    \(head) {
    \(statements.map { "  " + $0 }.joined(separator: "\n"))
    }
    """
  }

  private func prefixed(_ declaration: String, isolation: String = "nonisolated ") -> String {
    (access.map { $0 + " " } ?? "") + isolation + declaration
  }

  private func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n")
  }
}

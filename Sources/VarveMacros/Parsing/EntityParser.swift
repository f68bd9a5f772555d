package import SwiftDiagnostics
package import SwiftSyntax

/// Parses a struct with `@Entity` into its stored parts and its errors.
package struct EntityParser {
  let model: StructDeclSyntax
  let attribute: AttributeSyntax
  let context: [Syntax]
  private(set) var diagnostics: [Diagnostic] = []

  /// Returns the stored parts of a declaration, or nil if it has errors, and the errors.
  ///
  /// - Parameters:
  ///   - attribute: `@Entity` itself.
  ///   - context: the declarations around it, the innermost first.
  package static func parse(
    _ declaration: some DeclGroupSyntax,
    _ attribute: AttributeSyntax,
    inside context: [Syntax] = []
  ) -> (spec: EntitySpec?, diagnostics: [Diagnostic]) {
    guard let model = declaration.as(StructDeclSyntax.self) else {
      let finding = Finding.notStruct(kind: declaration.kindDescription)
      return (nil, [Diagnostic(node: declaration.introducer, message: finding)])
    }
    var parser = EntityParser(model, attribute, context)
    let spec = parser.parse()
    return (parser.diagnostics.isEmpty ? spec : nil, parser.diagnostics)
  }

  private init(_ model: StructDeclSyntax, _ attribute: AttributeSyntax, _ context: [Syntax]) {
    self.model = model
    self.attribute = attribute
    self.context = context
  }

  mutating func report(_ finding: Finding, at node: some SyntaxProtocol, _ fixIts: FixIt...) {
    diagnostics.append(Diagnostic(node: node, message: finding, fixIts: fixIts))
  }

  private mutating func parse() -> EntitySpec {
    checkModel()
    let declared = declaredProperties()
    checkIdentifier(declared)
    let properties = declared.filter { $0.name != "id" }.compactMap { storedProperty($0) }
    checkStoredNames(properties)
    let unnamed = attribute.argumentList.first { $0.label == nil }
    return EntitySpec(
      access: access,
      type: unnamed?.expression.trimmedDescription,
      model: attribute.argumentList["model"]?.trimmedDescription,
      uniqueTogether: uniqueTogether(properties.map(\.spec)),
      properties: properties.map(\.spec),
      memberwiseIdentifier: memberwiseIdentifier(declared, properties.map(\.spec)),
      availability: model.attributes.compactMap { $0.as(AttributeSyntax.self) }
        .filter { $0.attributeName.trimmedDescription == "available" }.map(\.trimmedDescription)
    )
  }

  // MARK: The struct

  private mutating func checkModel() {
    let outer = context.compactMap { $0.asProtocol((any WithGenericParametersSyntax).self) }
    if let clause = ([model] + outer).lazy.compactMap(\.genericParameterClause).first {
      report(.generic, at: clause.root.id == model.root.id ? Syntax(clause) : Syntax(model.name))
    }
    if !context.isEmpty,
      let modifier = model.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) })
    {
      let fixIt = FixIt.replacing(modifier.name, with: "fileprivate", id: "makeFileprivate")
      report(.privateNested, at: modifier, fixIt)
    }
  }

  /// The access of generated code: that of the struct, if it is more than internal.
  var access: String? {
    if let written = model.modifiers.access { return written.sharedAccess }
    // An extension gives its access to its members.
    return context.first?.as(ExtensionDeclSyntax.self)?.modifiers.access?.sharedAccess
  }

  private mutating func declaredProperties() -> [DeclaredProperty] {
    var properties: [DeclaredProperty] = []
    for item in model.memberBlock.members {
      if let variable = item.decl.as(VariableDeclSyntax.self) {
        properties += DeclaredProperty.all(in: variable)
      } else if let conditional = item.decl.as(IfConfigDeclSyntax.self),
        conditional.storesProperties
      {
        report(.conditional, at: conditional.clauses.first?.poundKeyword ?? .poundIfToken())
      }
    }
    return properties
  }

  private mutating func checkStoredNames(_ properties: [StoredProperty]) {
    var names: Set<String> = []
    for property in properties where !names.insert(property.spec.storedName).inserted {
      report(.storedTwice(storedName: property.spec.storedName), at: property.node)
    }
  }
}

/// A stored property, and the node of its name.
struct StoredProperty {
  let spec: PropertySpec
  let node: Syntax
}

extension DeclModifierListSyntax {
  /// The access modifier.
  var access: DeclModifierSyntax? {
    first { modifier in
      guard modifier.detail == nil, case .keyword(let word) = modifier.name.tokenKind else {
        return false
      }
      return [.open, .public, .package, .internal, .fileprivate, .private].contains(word)
    }
  }
}

extension DeclModifierSyntax {
  /// Access that generated members must repeat.
  fileprivate var sharedAccess: String? {
    ["public", "package"].contains(name.text) ? name.text : nil
  }
}

extension IfConfigDeclSyntax {
  /// Whether a clause declares a stored property.
  var storesProperties: Bool {
    clauses.contains { clause in
      guard case .decls(let items) = clause.elements else { return false }
      return items.contains { item in
        if let nested = item.decl.as(IfConfigDeclSyntax.self) { return nested.storesProperties }
        guard let variable = item.decl.as(VariableDeclSyntax.self) else { return false }
        return DeclaredProperty.all(in: variable)
          .contains { $0.isStored && $0.marks.transient == nil }
      }
    }
  }
}

extension DeclGroupSyntax {
  /// The kind of declaration, in words.
  fileprivate var kindDescription: String {
    switch introducer.tokenKind {
    case .keyword(.enum): "an enum"
    case .keyword(.actor): "an actor"
    case .keyword(.extension): "an extension"
    default: "a \(introducer.text)"
    }
  }
}

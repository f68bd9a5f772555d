package import SwiftDiagnostics
package import SwiftSyntax

/// Reads a class with `@Entity(kind:)`: what it stores, and what is wrong with it.
package struct ClassParser {
  let model: ClassDeclSyntax
  private let attribute: AttributeSyntax
  private let context: [Syntax]
  private var diagnostics: [Diagnostic] = []

  /// What a class stores, or nil where something is wrong with it, and what that is.
  ///
  /// - Parameters:
  ///   - attribute: `@Entity(kind:)` itself.
  ///   - context: what the class stands in, the innermost first.
  ///   - inheritsConformance: whether the macro need not add the conformance: the class names it, or
  ///     a class above has it.
  package static func parse(
    _ declaration: some DeclGroupSyntax,
    _ attribute: AttributeSyntax,
    inside context: [Syntax] = [],
    inheritsConformance: Bool
  ) -> (spec: ClassSpec?, diagnostics: [Diagnostic]) {
    guard let model = declaration.as(ClassDeclSyntax.self) else {
      return (nil, [Diagnostic(node: attribute, message: Finding.kindOutsideClass)])
    }
    var parser = ClassParser(model: model, attribute: attribute, context: context)
    let spec = parser.parse(isSubclass: inheritsConformance && !parser.namesConformance)
    return (parser.diagnostics.isEmpty ? spec : nil, parser.diagnostics)
  }

  private init(model: ClassDeclSyntax, attribute: AttributeSyntax, context: [Syntax]) {
    self.model = model
    self.attribute = attribute
    self.context = context
  }

  mutating func report(_ finding: Finding, at node: some SyntaxProtocol, _ fixIts: FixIt...) {
    diagnostics.append(Diagnostic(node: node, message: finding, fixIts: fixIts))
  }

  private mutating func parse(isSubclass: Bool) -> ClassSpec {
    checkClass()
    let declared = declaredProperties()
    let id = declared.first { $0.name == "id" && !$0.isStatic }
    if let id { checkIdentifier(id, isSubclass: isSubclass) }
    let properties = declared.filter { $0.name != "id" }.compactMap { property($0) }
    var names: Set<String> = []
    for property in properties where !names.insert(property.storedName).inserted {
      report(.storedTwice(storedName: property.storedName), at: model.name)
    }
    return ClassSpec(
      access: model.modifiers.access?.sharedAccess ?? inheritedAccess,
      kind: attribute.argumentList["kind"]?.trimmedDescription ?? "\"\"",
      isFinal: model.modifiers.contains { $0.name.tokenKind == .keyword(.final) },
      isSubclass: isSubclass,
      actor: actor,
      isNonisolated: model.modifiers.contains { $0.name.tokenKind == .keyword(.nonisolated) },
      declaresIdentifier: id != nil,
      properties: properties
    )
  }

  // MARK: The class

  private mutating func checkClass() {
    if let clause = model.genericParameterClause { report(.genericClass, at: clause) }
    let outer = context.compactMap { $0.asProtocol((any WithGenericParametersSyntax).self) }
    if outer.contains(where: { $0.genericParameterClause != nil }) {
      report(.genericClass, at: model.name)
    }
    if !context.isEmpty,
      let modifier = model.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) })
    {
      let fixIt = FixIt.replacing(modifier.name, with: "fileprivate", id: "makeFileprivate")
      report(.privateNested, at: modifier, fixIt)
    }
  }

  /// What looks like a global actor: macros see no more of an attribute than its name.
  private var actor: String? {
    let names = model.attributes.compactMap { $0.as(AttributeSyntax.self)?.attributeName }
    return names.first { $0.lastName.hasSuffix("Actor") }?.trimmedDescription
  }

  /// Whether the class itself says that it is a stored object.
  private var namesConformance: Bool {
    let types = model.inheritanceClause?.inheritedTypes.map(\.type) ?? []
    return types.contains { type in
      let named = type.as(AttributedTypeSyntax.self)?.baseType ?? type
      return named.lastName == "StoredObject"
    }
  }

  /// An extension gives its own access to what stands in it.
  private var inheritedAccess: String? {
    guard model.modifiers.access == nil else { return nil }
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
}

extension DeclModifierSyntax {
  /// Access that generated members have to repeat.
  fileprivate var sharedAccess: String? {
    ["public", "package", "open"].contains(name.text) ? name.text : nil
  }
}

package import SwiftDiagnostics
package import SwiftSyntax

/// Parses a class with `@Entity(kind:)` into its stored parts and its errors.
package struct ClassParser {
  let model: ClassDeclSyntax
  private let attribute: AttributeSyntax
  private let context: [Syntax]
  private var diagnostics: [Diagnostic] = []

  /// Returns the stored parts of a class, or nil if it has errors, and the errors.
  ///
  /// - Parameters:
  ///   - attribute: `@Entity(kind:)` itself.
  ///   - context: the declarations around the class, the innermost first.
  ///   - inheritsConformance: whether the macro need not add the conformance, because the class or
  ///     a superclass has it.
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

  /// The global actor, recognised by its name: macros see only the name of an attribute.
  private var actor: String? {
    let names = model.attributes.compactMap { $0.as(AttributeSyntax.self)?.attributeName }
    return names.first { $0.lastName.hasSuffix("Actor") }?.trimmedDescription
  }

  /// Whether the class itself declares the conformance to `StoredObject`.
  private var namesConformance: Bool {
    let types = model.inheritanceClause?.inheritedTypes.map(\.type) ?? []
    return types.contains { type in
      let named = type.as(AttributedTypeSyntax.self)?.baseType ?? type
      return named.lastName == "StoredObject"
    }
  }

  /// The access that an extension gives its members.
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
  /// Access that generated members must repeat.
  fileprivate var sharedAccess: String? {
    ["public", "package", "open"].contains(name.text) ? name.text : nil
  }
}

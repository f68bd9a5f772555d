package import SwiftDiagnostics
package import SwiftSyntax

/// Parses a class with `@Entity(kind:)` into its stored parts and its errors.
package struct ClassParser: ModelParser {
  let model: ClassDeclSyntax
  private let attribute: AttributeSyntax
  let context: [Syntax]
  var diagnostics: [Diagnostic] = []

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

  private mutating func parse(isSubclass: Bool) -> ClassSpec {
    checkDeclaration(generic: .genericClass)
    let declared = declaredProperties()
    let id = declared.first { $0.name == "id" && !$0.isStatic }
    if let id { checkIdentifier(id, isSubclass: isSubclass) }
    let properties = declared.filter { $0.name != "id" }.compactMap { storedProperty($0) }
    checkStoredNames(properties, \.storedName)
    return ClassSpec(
      model.name.text,
      access: access,
      kind: attribute.argumentList["kind"]?.trimmedDescription ?? "\"\"",
      isFinal: model.modifiers.contains { $0.name.tokenKind == .keyword(.final) },
      isSubclass: isSubclass,
      actor: actor,
      isNonisolated: model.modifiers.contains { $0.name.tokenKind == .keyword(.nonisolated) },
      declaresIdentifier: id != nil,
      properties: properties.map(\.spec)
    )
  }

  // MARK: The class

  /// The global actor, recognised by its name: macros see only the name of an attribute.
  private var actor: String? {
    let names = model.attributes.compactMap { $0.as(AttributeSyntax.self)?.attributeName }
    return names.first { $0.lastName.hasSuffix("Actor") }?.trimmedDescription
  }

  /// Whether the class itself declares the conformance to `StoredObject`.
  private var namesConformance: Bool { inheritedNames.contains("StoredObject") }
}

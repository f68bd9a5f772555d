package import SwiftDiagnostics
package import SwiftSyntax

/// Parses a struct with `@Entity` into its stored parts and its errors.
package struct EntityParser: ModelParser {
  let model: StructDeclSyntax
  let attribute: AttributeSyntax
  let context: [Syntax]
  var diagnostics: [Diagnostic] = []

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

  private mutating func parse() -> EntitySpec {
    checkDeclaration(generic: .generic)
    let declared = declaredProperties()
    checkIdentifier(declared)
    let properties = declared.filter { $0.name != "id" }.compactMap { storedProperty($0) }
    checkStoredNames(properties, \.storedName)
    let unnamed = attribute.argumentList.first { $0.label == nil }
    return EntitySpec(
      access: access,
      type: unnamed?.expression.trimmedDescription,
      model: attribute.argumentList["model"]?.trimmedDescription,
      renamedFrom: attribute.argumentList["renamedFrom"]?.trimmedDescription,
      uniqueTogether: together("uniqueTogether", properties.map(\.spec)),
      indexedTogether: together("indexedTogether", properties.map(\.spec)),
      properties: properties.map(\.spec),
      memberwiseIdentifier: memberwiseIdentifier(declared, properties.map(\.spec)),
      equality: equality(declared),
      availability: model.attributes.compactMap { $0.as(AttributeSyntax.self) }
        .filter { $0.attributeName.trimmedDescription == "available" }.map(\.trimmedDescription)
    )
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

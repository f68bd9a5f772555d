package import SwiftDiagnostics
package import SwiftSyntax

/// Reads a class with `@Entity`: what it stores, and what is wrong with it.
package struct ClassParser {
  private let model: ClassDeclSyntax
  private let attribute: AttributeSyntax
  private var diagnostics: [Diagnostic] = []

  /// What a class stores, or nil where something is wrong with it, and what that is.
  ///
  /// - Parameters:
  ///   - attribute: `@Entity(kind:)` itself.
  ///   - inheritsConformance: whether the macro need not add the conformance: the class names it, or
  ///     a class above has it.
  package static func parse(
    _ declaration: some DeclGroupSyntax,
    _ attribute: AttributeSyntax,
    inheritsConformance: Bool
  ) -> (spec: ClassSpec?, diagnostics: [Diagnostic]) {
    guard let model = declaration.as(ClassDeclSyntax.self) else {
      return (nil, [Diagnostic(node: attribute, message: Finding.kindOutsideClass)])
    }
    var parser = ClassParser(model: model, attribute: attribute)
    let spec = parser.parse(isSubclass: inheritsConformance && !parser.namesConformance)
    return (parser.diagnostics.isEmpty ? spec : nil, parser.diagnostics)
  }

  private init(model: ClassDeclSyntax, attribute: AttributeSyntax) {
    self.model = model
    self.attribute = attribute
  }

  private mutating func report(_ finding: Finding, at node: some SyntaxProtocol) {
    diagnostics.append(Diagnostic(node: node, message: finding))
  }

  private mutating func parse(isSubclass: Bool) -> ClassSpec {
    if let clause = model.genericParameterClause { report(.genericClass, at: clause) }
    let declared = model.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
      .flatMap { DeclaredProperty.all(in: $0) }
    let properties = declared.filter { $0.name != "id" }.compactMap { property($0) }
    var names: Set<String> = []
    for property in properties where !names.insert(property.storedName).inserted {
      report(.storedTwice(storedName: property.storedName), at: model.name)
    }
    return ClassSpec(
      access: access,
      kind: attribute.argumentList["kind"]?.trimmedDescription ?? "\"\"",
      isFinal: model.modifiers.contains { $0.name.tokenKind == .keyword(.final) },
      isSubclass: isSubclass,
      declaresIdentifier: declared.contains { $0.name == "id" },
      properties: properties
    )
  }

  /// Whether the class itself says that it is a stored object.
  private var namesConformance: Bool {
    let names = model.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
    return names.contains { $0 == "StoredObject" || $0.hasSuffix(".StoredObject") }
  }

  private var access: String? {
    guard let written = model.modifiers.first(where: { $0.name.tokenKind.isShared }) else {
      return nil
    }
    return written.name.tokenKind == .keyword(.open) ? "public" : written.name.text
  }

  private mutating func property(_ property: DeclaredProperty) -> ClassSpec.Property? {
    if case .elsewhere(let what) = property.storage {
      checkNoMarks(on: property, what)
      return nil
    }
    guard property.marks.transient == nil else {
      checkNoMarks(on: property, "a @Transient property")
      if !property.hasValue {
        let name = property.binding.pattern.trimmedDescription
        report(.transientWithoutValue(name: name), at: property.binding.pattern)
      }
      return nil
    }
    guard let name = property.name else {
      report(.pattern, at: property.binding.pattern)
      return nil
    }
    if property.isConstant { report(.classConstant(name: name), at: property.binding) }
    let isWeak = property.declaration.modifiers.contains {
      [.keyword(.weak), .keyword(.unowned)].contains($0.name.tokenKind)
    }
    if isWeak { report(.unstorable(name: name, what: "a weak reference"), at: property.binding) }
    if case .unstorable(let what) = property.type.form {
      report(.unstorable(name: name, what: what), at: property.binding)
    }
    return ClassSpec.Property(
      name,
      storedName: storedName(property, name),
      defaultValue: property.type.isOptional
        ? nil : property.binding.initializer?.value.trimmedDescription
    )
  }

  private mutating func checkNoMarks(on property: DeclaredProperty, _ what: String) {
    for mark in property.marks.storing {
      let name = mark.attributeName.trimmedDescription
      report(.markOnUnstored(mark: name, what: what), at: mark)
    }
  }

  /// The name in `@Field`; all else it can say is for structs.
  private mutating func storedName(_ property: DeclaredProperty, _ name: String) -> String {
    if let relation = property.marks.relation {
      report(.classOption(name: "@Relation"), at: relation)
    }
    var storedName = name.withoutBackticks
    for argument in property.marks.fields.flatMap({ Array($0.argumentList) }) {
      if let text = argument.expression.literalText {
        storedName = text
      } else {
        report(.classOption(name: argument.expression.trimmedDescription), at: argument)
      }
    }
    return storedName
  }
}

extension TokenKind {
  /// Whether it is access that generated members repeat.
  fileprivate var isShared: Bool {
    [.keyword(.public), .keyword(.package), .keyword(.open)].contains(self)
  }
}

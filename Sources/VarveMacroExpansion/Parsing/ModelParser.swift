import SwiftDiagnostics
import SwiftSyntax

/// The common part of the parsers of structs and of classes.
protocol ModelParser {
  associatedtype Model: DeclGroupSyntax, NamedDeclSyntax, WithGenericParametersSyntax
  var model: Model { get }
  /// The declarations around the model, the innermost first.
  var context: [Syntax] { get }
  var diagnostics: [Diagnostic] { get set }
}

/// A stored property, and the node of its name.
struct StoredProperty<Spec> {
  let spec: Spec
  let node: Syntax
}

extension ModelParser {
  mutating func report(_ finding: Finding, at node: some SyntaxProtocol, _ fixIts: FixIt...) {
    diagnostics.append(Diagnostic(node: node, message: finding, fixIts: fixIts))
  }

  // MARK: The declaration

  /// Reports generic parameters, of the model and around it, and a model that cannot be extended.
  mutating func checkDeclaration(generic finding: Finding) {
    let outer = context.compactMap { $0.asProtocol((any WithGenericParametersSyntax).self) }
    let clauses = [model.genericParameterClause] + outer.map(\.genericParameterClause)
    if let clause = clauses.lazy.compactMap(\.self).first {
      report(finding, at: clause.root.id == model.root.id ? Syntax(clause) : Syntax(model.name))
    }
    if !context.isEmpty,
      let modifier = model.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) })
    {
      let fixIt = FixIt.replacing(modifier.name, with: "fileprivate", id: "makeFileprivate")
      report(.privateNested, at: modifier, fixIt)
    }
  }

  /// The access of generated code: that of the model, if it is more than internal.
  var access: String? {
    if let written = model.modifiers.access { return written.sharedAccess }
    // An extension gives its access to its members.
    return context.first?.as(ExtensionDeclSyntax.self)?.modifiers.access?.sharedAccess
  }

  /// The names of the protocols and classes the model names, without their modules.
  var inheritedNames: [String] {
    (model.inheritanceClause?.inheritedTypes.map(\.type) ?? []).flatMap(\.composedNames)
  }

  // MARK: Properties

  mutating func declaredProperties() -> [DeclaredProperty] {
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

  /// Returns the name of a property; nil if it is not stored, or cannot be.
  mutating func storableName(of property: DeclaredProperty) -> String? {
    if case .elsewhere(let what) = property.storage {
      checkNoMarks(on: property, what)
      return nil
    }
    if let transient = property.marks.transient {
      checkNoMarks(on: property, "a @Transient property")
      checkValue(of: property, transient)
      return nil
    }
    guard let name = property.name else {
      report(.pattern, at: property.binding.pattern)
      return nil
    }
    return isStorable(property, name) ? name : nil
  }

  /// Reports marks for stored properties on a property that is not stored.
  mutating func checkNoMarks(on property: DeclaredProperty, _ what: String) {
    report(property.marks.storing, on: property, what)
  }

  /// Reports all marks on the identifier, which must not have any.
  mutating func checkNoMarks(onIdentifier id: DeclaredProperty) {
    report(id.marks.storing + (id.marks.transient.map { [$0] } ?? []), on: id, "the identifier")
  }

  private mutating func report(
    _ marks: [AttributeSyntax],
    on property: DeclaredProperty,
    _ what: String
  ) {
    for mark in marks {
      report(
        .markOnUnstored(mark: mark.attributeName.trimmedDescription, what: what),
        at: mark,
        .removing(mark, from: property.declaration)
      )
    }
  }

  private mutating func checkValue(of property: DeclaredProperty, _ transient: AttributeSyntax) {
    guard !property.hasValue else { return }
    let name = property.binding.pattern.trimmedDescription
    report(
      .transientWithoutValue(name: name),
      at: property.binding.pattern,
      .addingValue(property.binding)
    )
  }

  private mutating func isStorable(_ property: DeclaredProperty, _ name: String) -> Bool {
    let isWeak = property.declaration.modifiers.contains {
      [.keyword(.weak), .keyword(.unowned)].contains($0.name.tokenKind)
    }
    var what = isWeak ? "a reference to an object" : nil
    if case .unstorable(let description) = property.type.form { what = description }
    guard let what else { return true }
    let isAlone = property.declaration.bindings.count == 1
    let fixIt = FixIt.addingTransient(
      property.declaration,
      valueMissing: isAlone && !property.hasValue
    )
    report(
      .unstorable(name: name.withoutBackticks, what: what),
      at: property.typeSyntax.map { Syntax($0) } ?? Syntax(property.binding),
      fixIt
    )
    return false
  }

  /// Reports stored names that two properties share.
  mutating func checkStoredNames<Spec>(
    _ properties: [StoredProperty<Spec>],
    _ storedName: (Spec) -> String
  ) {
    var names: Set<String> = []
    for property in properties where !names.insert(storedName(property.spec)).inserted {
      report(.storedTwice(storedName: storedName(property.spec)), at: property.node)
    }
  }
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
    ["public", "package", "open"].contains(name.text) ? name.text : nil
  }
}

extension IfConfigDeclSyntax {
  /// Whether a clause declares a stored property.
  fileprivate var storesProperties: Bool {
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

extension TypeSyntax {
  /// The last parts of the names it is composed of: `Equatable` and `Codable` of
  /// `Swift.Equatable & Codable`.
  fileprivate var composedNames: [String] {
    if let composition = self.as(CompositionTypeSyntax.self) {
      return composition.elements.flatMap(\.type.composedNames)
    }
    if let attributed = self.as(AttributedTypeSyntax.self) {
      return attributed.baseType.composedNames
    }
    return [lastName]
  }
}

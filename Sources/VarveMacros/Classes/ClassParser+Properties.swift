import SwiftDiagnostics
import SwiftSyntax

/// Parses the properties of a class.
extension ClassParser {
  /// Returns the specification of a stored property; nil if the property is not stored.
  mutating func property(_ property: DeclaredProperty) -> ClassSpec.Property? {
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
    if property.isConstant {
      let fixIt = FixIt.makingVariable(property.declaration)
      report(
        .classConstant(name: name.withoutBackticks),
        at: property.declaration.bindingSpecifier,
        fixIt
      )
    }
    checkStorable(property, name)
    return ClassSpec.Property(
      name,
      storedName: storedName(property, name),
      defaultValue: property.type.isOptional
        ? nil : property.binding.initializer?.value.trimmedDescription
    )
  }

  private mutating func checkNoMarks(on property: DeclaredProperty, _ what: String) {
    for mark in property.marks.storing {
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

  private mutating func checkStorable(_ property: DeclaredProperty, _ name: String) {
    let isWeak = property.declaration.modifiers.contains {
      [.keyword(.weak), .keyword(.unowned)].contains($0.name.tokenKind)
    }
    var what = isWeak ? "a reference to an object" : nil
    if case .unstorable(let description) = property.type.form { what = description }
    guard let what else { return }
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
  }

  /// Returns the name in `@Field`, and reports its options, which are only for structs.
  private mutating func storedName(_ property: DeclaredProperty, _ name: String) -> String {
    if let relation = property.marks.relation {
      report(
        .classOption(name: "@Relation"),
        at: relation,
        .removing(relation, from: property.declaration)
      )
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

  // MARK: The identifier

  /// Checks that the identifier can be set from a row.
  mutating func checkIdentifier(_ id: DeclaredProperty, isSubclass: Bool) {
    guard !isSubclass else { return report(.classIdentifierBelow, at: id.binding) }
    for mark in id.marks.storing + (id.marks.transient.map { [$0] } ?? []) {
      report(
        .markOnUnstored(mark: mark.attributeName.trimmedDescription, what: "the identifier"),
        at: mark,
        .removing(mark, from: id.declaration)
      )
    }
    // Other names may be type aliases, which only the compiler can resolve.
    let known = ["UUID", "String", "Int", "Int64", "UInt64", "Identifier", "ObjectIdentifier"]
    if let type = id.typeSyntax, known.contains(type.lastName) || id.type.isOptional {
      report(.classIdentifierType, at: type, .replacing(type, with: "EntityID", id: "retypeID"))
    }
    if id.isConstant, id.binding.initializer != nil {
      let fixIt = FixIt.makingVariable(id.declaration)
      report(.classIdentifierFixed, at: id.declaration.bindingSpecifier, fixIt)
    }
    let hidden = id.declaration.modifiers.first { modifier in
      modifier.detail == nil
        && [.keyword(.private), .keyword(.fileprivate)].contains(modifier.name.tokenKind)
    }
    if let hidden { report(.idHidden, at: hidden, .removing(hidden, from: id.declaration)) }
  }
}

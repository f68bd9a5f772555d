import SwiftDiagnostics
import SwiftSyntax

/// Parses the properties of a class.
extension ClassParser {
  /// Returns the specification of a stored property; nil if the property is not stored.
  mutating func storedProperty(
    _ property: DeclaredProperty
  ) -> StoredProperty<ClassSpec.Property>? {
    guard let name = storableName(of: property) else { return nil }
    guard checkLink(property, name) else { return nil }
    if property.isConstant {
      let fixIt = FixIt.makingVariable(property.declaration)
      report(
        .classConstant(name: name.withoutBackticks),
        at: property.declaration.bindingSpecifier,
        fixIt
      )
    }
    let spec = ClassSpec.Property(
      name,
      storedName: storedName(property, name),
      defaultValue: property.type.isOptional
        ? nil : property.binding.initializer?.value.trimmedDescription,
      isOwning: isOwning(property)
    )
    return StoredProperty(spec: spec, node: Syntax(property.binding.pattern))
  }

  /// Reports relations that only structs have, and links in forms that cannot be stored.
  private mutating func checkLink(_ property: DeclaredProperty, _ name: String) -> Bool {
    let finding: Finding
    switch property.type.form {
    case .many: finding = .manyInClass(name: name.withoutBackticks)
    case .link(let link) where !property.type.isPlainLink:
      finding = .linkForm(name: name.withoutBackticks, link: link)
    default: return true
    }
    report(finding, at: property.typeSyntax.map { Syntax($0) } ?? Syntax(property.binding))
    return false
  }

  /// Returns whether a link is marked `@Relation(.owns)`, the only relation that classes declare.
  private func isOwning(_ property: DeclaredProperty) -> Bool {
    guard case .link = property.type.form, let relation = property.marks.relation,
      relation.argumentList.count == 1, let kind = relation.argumentList.first
    else { return false }
    return kind.label == nil
      && [".owns", "RelationKind.owns"].contains(kind.expression.trimmedDescription)
  }

  /// Returns the name in `@Field`, and reports its options, which are only for structs.
  private mutating func storedName(_ property: DeclaredProperty, _ name: String) -> String {
    if let relation = property.marks.relation, !isOwning(property) {
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
    checkNoMarks(onIdentifier: id)
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

import SwiftDiagnostics
import SwiftSyntax

/// Parses the properties of a struct.
extension EntityParser {
  /// Returns the specification of a stored property; nil if the property is not stored.
  mutating func storedProperty(_ property: DeclaredProperty) -> StoredProperty<PropertySpec>? {
    guard let name = storableName(of: property) else { return nil }
    guard checkLink(property, name) else { return nil }
    checkRelation(property, name)
    let spec = PropertySpec(
      name,
      storedName: storedName(property, name),
      storage(of: property),
      options: options(of: property, name)
    )
    return StoredProperty(spec: spec, node: Syntax(property.binding.pattern))
  }

  /// Reports links between live objects, which only classes have.
  private mutating func checkLink(_ property: DeclaredProperty, _ name: String) -> Bool {
    guard case .link(let link) = property.type.form else { return true }
    report(
      .linkInStruct(name: name.withoutBackticks, link: link),
      at: property.typeSyntax.map { Syntax($0) } ?? Syntax(property.binding)
    )
    return false
  }

  private func storage(of property: DeclaredProperty) -> PropertySpec.Storage {
    if case .many = property.type.form { return .many }
    // A missing value of an optional is nil, whatever its initial value.
    let hasDefault = property.binding.initializer != nil && !property.type.isOptional
    return .column(hasDefault: hasDefault)
  }

  // MARK: Names

  private mutating func storedName(_ property: DeclaredProperty, _ name: String) -> String {
    let arguments = property.marks.fields.flatMap { Array($0.argumentList) }
    guard let written = arguments.first(where: \.isName)?.expression else {
      return name.withoutBackticks
    }
    guard let text = written.literalText else {
      report(.storedNameNotLiteral, at: written)
      return name.withoutBackticks
    }
    return text
  }

  // MARK: Options

  private mutating func options(of property: DeclaredProperty, _ name: String) -> [String] {
    let fields = property.marks.fields.flatMap { Array($0.argumentList) }
    var options = fields.filter { !$0.isName }.map(\.expression.trimmedDescription)
    if let relation = property.marks.relation {
      let arguments = relation.argumentList.map { argument in
        argument.with(\.trailingComma, nil).trimmedDescription
      }
      options.append(".relation(\(arguments.joined(separator: ", ")))")
    }
    for date in ["createdAt", "updatedAt"] where name == date && property.type.form == .date {
      if property.isConstant {
        let fixIt = FixIt.makingVariable(property.declaration)
        report(.dateConstant(name: name), at: property.declaration.bindingSpecifier, fixIt)
      }
      let said = options.contains { $0 == ".\(date)" || $0 == "FieldOption.\(date)" }
      if !said { options.append(".\(date)") }
    }
    return options
  }
}

extension LabeledExprSyntax {
  /// Whether the argument is a stored name: a literal, or an expression that could be one.
  fileprivate var isName: Bool {
    if expression.is(StringLiteralExprSyntax.self) { return true }
    if expression.is(DeclReferenceExprSyntax.self) { return true }
    guard let member = expression.as(MemberAccessExprSyntax.self), let base = member.base else {
      return false
    }
    return !base.trimmedDescription.hasSuffix("FieldOption")
  }
}

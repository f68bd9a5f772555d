import SwiftDiagnostics
import SwiftSyntax

/// Parses the properties of a struct.
extension EntityParser {
  /// Returns how a property is stored; nil if it is not.
  mutating func storedProperty(_ property: DeclaredProperty) -> StoredProperty? {
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
    guard isStorable(property, name) else { return nil }
    checkRelation(property, name)
    let spec = PropertySpec(
      name,
      storedName: storedName(property, name),
      storage(of: property),
      options: options(of: property, name)
    )
    return StoredProperty(spec: spec, node: Syntax(property.binding.pattern))
  }

  private func storage(of property: DeclaredProperty) -> PropertySpec.Storage {
    if case .many = property.type.form { return .many }
    // A missing value of an optional is nil, whatever its initial value.
    let hasDefault = property.binding.initializer != nil && !property.type.isOptional
    return .column(hasDefault: hasDefault)
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

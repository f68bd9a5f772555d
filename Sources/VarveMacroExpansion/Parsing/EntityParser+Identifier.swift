import SwiftDiagnostics
import SwiftSyntax

/// Checks the identifier, which every model has.
extension EntityParser {
  private var name: String { model.name.text.withoutBackticks }
  private var code: String { "var id = Identifier<\(model.name.text)>()" }

  mutating func checkIdentifier(_ properties: [DeclaredProperty]) {
    guard let id = properties.first(where: { $0.name == "id" && !$0.isStatic }) else {
      let code = (model.modifiers.access.map { $0.name.text + " " } ?? "") + code
      return report(
        .idMissing(model: name),
        at: model.name,
        .insertingIdentifier(code, into: model)
      )
    }
    checkNoMarks(onIdentifier: id)
    checkType(of: id)
    if id.isConstant {
      report(.idConstant, at: id.declaration.bindingSpecifier, .makingVariable(id.declaration))
    }
    checkAccess(of: id)
  }

  private mutating func checkType(of id: DeclaredProperty) {
    switch id.type.form {
    case .identifier(of: name), .identifier(of: "Self"):
      if !id.type.isOptional { return }
    case .other:
      // Other names may be type aliases, which only the compiler can resolve.
      let known = ["UUID", "String", "Int", "Int64", "UInt64", "EntityID", "ObjectIdentifier"]
      let written = id.typeSyntax?.trimmedDescription ?? id.constructed
      if let written, !known.contains(written), !id.type.isOptional { return }
    default: break
    }
    let new = id.declaration.bindings.count == 1 ? id.binding : nil
    report(
      .idOfOtherType(model: name),
      at: id.typeSyntax.map { Syntax($0) } ?? Syntax(id.binding),
      .replacing(new ?? id.binding, with: "id = Identifier<\(model.name.text)>()", id: "retypeID")
    )
  }

  private mutating func checkAccess(of id: DeclaredProperty) {
    let order = ["private", "fileprivate", "internal", "package", "public"]
    func rank(_ modifier: DeclModifierSyntax) -> Int {
      order.firstIndex(of: modifier.name.text) ?? order.count
    }
    let wanted = model.modifiers.access.map(rank) ?? 2
    for modifier in id.declaration.modifiers where order.contains(modifier.name.text) {
      // A private member of a private type is still inaccessible to users of the type's extensions.
      let isHidden = rank(modifier) < min(wanted, 2) || (wanted > 2 && rank(modifier) < wanted)
      if isHidden { report(.idHidden, at: modifier, .removing(modifier, from: id.declaration)) }
    }
  }
}

extension DeclaredProperty {
  var isStatic: Bool {
    declaration.modifiers.contains { $0.name.tokenKind == .keyword(.static) }
  }

  /// The type whose initialiser creates the value; nil if it cannot be determined.
  fileprivate var constructed: String? {
    binding.initializer?.value.as(FunctionCallExprSyntax.self)?.calledExpression.trimmedDescription
  }
}

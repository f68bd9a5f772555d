import SwiftDiagnostics
import SwiftSyntax

/// Checks relations between models.
extension EntityParser {
  mutating func checkRelation(_ property: DeclaredProperty, _ name: String) {
    switch property.type.form {
    case .reference:
      checkVariable(property, name)
      if let inverse = property.marks.relation?.argumentList["inverse"], !inverse.isNil {
        report(.inverseOfReference, at: inverse)
      }
    case .many(let target):
      checkVariable(property, name)
      if property.type.isOptional { reportOptional(property, name) }
      if let inverse = property.marks.relation?.argumentList["inverse"] {
        check(inverse, of: target)
      }
    default:
      guard let relation = property.marks.relation else { return }
      report(
        .relationOnValue(name: name.withoutBackticks),
        at: relation,
        .removing(relation, from: property.declaration)
      )
    }
  }

  private mutating func checkVariable(_ property: DeclaredProperty, _ name: String) {
    guard property.isConstant else { return }
    report(
      .relationConstant(name: name.withoutBackticks),
      at: property.declaration.bindingSpecifier,
      .makingVariable(property.declaration)
    )
  }

  private mutating func reportOptional(_ property: DeclaredProperty, _ name: String) {
    let finding = Finding.manyOptional(name: name.withoutBackticks)
    guard let type = property.typeSyntax?.as(OptionalTypeSyntax.self) else {
      return report(finding, at: property.binding)
    }
    let wrapped = type.wrappedType.trimmedDescription
    report(finding, at: type, .replacing(type, with: wrapped, id: "unwrapMany"))
  }

  private mutating func check(_ inverse: ExprSyntax, of target: String) {
    if inverse.isNil { return }
    guard let path = inverse.as(KeyPathExprSyntax.self), let root = path.root else {
      return report(.inverseNotLiteral, at: inverse)
    }
    if root.lastName != target, target != "Self" {
      report(.inverseOfOther(target: target), at: root)
    }
  }
}

extension ExprSyntax {
  fileprivate var isNil: Bool { self.is(NilLiteralExprSyntax.self) }
}

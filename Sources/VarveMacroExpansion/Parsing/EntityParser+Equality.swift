import SwiftSyntax

/// The equality that is generated for a struct.
extension EntityParser {
  /// Returns the properties that `==` and `hash(into:)` use; nil if the struct names neither
  /// `Equatable` nor `Hashable`, or declares its own `==`.
  mutating func equality(_ declared: [DeclaredProperty]) -> EntitySpec.Equality? {
    let isHashable = inheritedNames.contains("Hashable")
    guard isHashable || inheritedNames.contains("Equatable"), !declares("==") else { return nil }
    let compared = declared.filter { $0.isStored && !$0.isStatic && $0.name != nil }
    for property in compared { checkComparable(property) }
    return EntitySpec.Equality(
      properties: compared.compactMap(\.name),
      isHashed: isHashable && !declares("hash")
    )
  }

  private func declares(_ function: String) -> Bool {
    model.memberBlock.members.contains { item in
      item.decl.as(FunctionDeclSyntax.self)?.name.text == function
    }
  }

  /// Reports a transient property that cannot be compared. Other properties of such types are
  /// reported because they cannot be stored.
  private mutating func checkComparable(_ property: DeclaredProperty) {
    guard property.marks.transient != nil, let name = property.name,
      case .unstorable(let what) = property.type.form
    else { return }
    report(
      .incomparable(name: name.withoutBackticks, what: what),
      at: property.typeSyntax.map { Syntax($0) } ?? Syntax(property.binding)
    )
  }
}

import SwiftSyntax

/// Whether an extension can use the struct's memberwise initialiser.
extension EntityParser {
  /// Returns the number of stored properties before the identifier; nil if the struct has no
  /// accessible memberwise initialiser, or if a property must keep its initial value.
  func memberwiseIdentifier(
    _ declared: [DeclaredProperty],
    _ properties: [PropertySpec]
  ) -> Int? {
    let hasOwn = model.memberBlock.members.contains { $0.decl.is(InitializerDeclSyntax.self) }
    // A label may have to be written without the backticks that the name needs.
    let isEscaped = properties.contains { $0.name.hasPrefix("`") }
    let keepsValues = properties.contains { $0.storage == .column(hasDefault: true) }
    guard !hasOwn, !isEscaped, !keepsValues, declared.allSatisfy(\.isPlain) else { return nil }
    let names = Set(properties.map(\.name))
    return declared.prefix { $0.name != "id" }.count { $0.name.map(names.contains) ?? false }
  }
}

extension DeclaredProperty {
  /// Whether the property neither hides the memberwise initialiser nor changes its parameters.
  fileprivate var isPlain: Bool {
    guard isStored else { return true }
    let isHidden = declaration.modifiers.contains { modifier in
      modifier.detail == nil
        && [.keyword(.private), .keyword(.fileprivate)].contains(modifier.name.tokenKind)
    }
    let known = ["Field", "Relation", "Transient"]
    return !isHidden
      && declaration.attributes.allSatisfy { attribute in
        let name = attribute.as(AttributeSyntax.self)?.attributeName.trimmedDescription
        return name?.split(separator: ".").last.map { known.contains(String($0)) } ?? false
      }
  }
}

import SwiftSyntax

/// Whether the struct's memberwise initialiser can be used from an extension.
extension EntityParser {
  /// How many stored properties stand before the identifier; nil where that initialiser is not there,
  /// is hidden, or would not let a property keep what the struct begins with.
  func memberwiseIdentifier(
    _ declared: [DeclaredProperty],
    _ properties: [PropertySpec]
  ) -> Int? {
    let hasOwn = model.memberBlock.members.contains { $0.decl.is(InitializerDeclSyntax.self) }
    // A name that needs backticks may have to stand without them as a label.
    let isEscaped = properties.contains { $0.name.hasPrefix("`") }
    let keepsValues = properties.contains { $0.storage == .column(hasDefault: true) }
    guard !hasOwn, !isEscaped, !keepsValues, declared.allSatisfy(\.isPlain) else { return nil }
    let names = Set(properties.map(\.name))
    return declared.prefix { $0.name != "id" }.count { $0.name.map(names.contains) ?? false }
  }
}

extension DeclaredProperty {
  /// Whether it neither hides the memberwise initialiser nor changes what it takes.
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

package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Entity(kind:)`: a class becomes one of live objects.
///
/// It is another macro than that of structs: one that could add two conformances, and adds one, crashes
/// the compiler at subclasses (Swift 6.3).
package enum ClassMacro: MemberMacro, ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let parsed = ClassParser.parse(declaration, node, inheritsConformance: protocols.isEmpty)
    for diagnostic in parsed.diagnostics { context.diagnose(diagnostic) }
    return parsed.spec?.members.map { "\(raw: $0)" } ?? []
  }

  package static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ClassDeclSyntax.self), !protocols.isEmpty else { return [] }
    return [try ExtensionDeclSyntax("extension \(type.trimmed): Varve.StoredObject {}")]
  }
}

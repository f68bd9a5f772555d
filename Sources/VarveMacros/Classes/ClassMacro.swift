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
    let parsed = ClassParser.parse(
      declaration,
      node,
      inside: context.lexicalContext,
      inheritsConformance: protocols.isEmpty
    )
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
    // What is wrong was said where the members were asked for.
    let parsed = ClassParser.parse(
      declaration,
      node,
      inside: context.lexicalContext,
      inheritsConformance: protocols.isEmpty
    )
    guard let spec = parsed.spec, !protocols.isEmpty else { return [] }
    return [try ExtensionDeclSyntax("\(raw: spec.extending(type.trimmedDescription))")]
  }
}

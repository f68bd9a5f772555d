package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Entity(kind:)`: makes a class one of live objects.
///
/// It is a macro separate from that of structs: a macro that can add two conformances and adds one
/// crashes the compiler for subclasses (Swift 6.3).
package protocol ClassExpanding: MemberMacro, ExtensionMacro {}

extension ClassExpanding {
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
    // The expansion of the members has reported the diagnostics.
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

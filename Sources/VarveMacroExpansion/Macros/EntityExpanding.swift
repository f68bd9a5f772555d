package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Entity`: makes a struct a model.
///
/// The conformance and the initialiser are in an extension, so that the struct keeps its own
/// initialiser. Code that repeats the user's names is in the struct, where they have the same
/// meaning.
package protocol EntityExpanding: MemberMacro, ExtensionMacro {}

extension EntityExpanding {
  package static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let parsed = EntityParser.parse(declaration, node, inside: context.lexicalContext)
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
    let parsed = EntityParser.parse(declaration, node, inside: context.lexicalContext)
    guard let spec = parsed.spec else { return [] }
    let code = spec.extending(type.trimmedDescription, isConforming: !protocols.isEmpty)
    return [try ExtensionDeclSyntax("\(raw: code)")]
  }
}

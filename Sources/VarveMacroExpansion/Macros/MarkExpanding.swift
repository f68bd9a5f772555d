import SwiftDiagnostics
package import SwiftSyntax
package import SwiftSyntaxMacros

/// An attribute that `@Entity` reads and that expands to nothing.
package protocol MarkExpanding: PeerMacro {}

extension MarkExpanding {
  package static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let owner = context.lexicalContext.first?.asProtocol((any DeclGroupSyntax).self)
    let isRead = owner?.attributes.contains { element in
      element.as(AttributeSyntax.self)?.isNamed("Entity") ?? false
    }
    if isRead != true || !declaration.is(VariableDeclSyntax.self) {
      let finding = Finding.markOutsideEntity(mark: node.attributeName.trimmedDescription)
      context.diagnose(Diagnostic(node: node, message: finding))
    }
    return []
  }
}

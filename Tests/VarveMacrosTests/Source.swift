import SwiftDiagnostics
@_spi(FixItApplier) import SwiftIDEUtils
import SwiftParser
import SwiftSyntax
import VarveMacroExpansion

/// A source text with one `@Entity`, as the macro sees it.
struct Source {
  /// The stored parts; nil if there are errors.
  let spec: EntitySpec?
  /// The errors, as the compiler reports them.
  let messages: [String]
  /// The source with every fix-it applied.
  let fixed: String

  init(_ text: String) {
    let file = Parser.parse(source: text)
    let finder = EntityFinder(viewMode: .sourceAccurate)
    finder.walk(file)
    guard let (attribute, declaration) = finder.found else {
      (spec, messages, fixed) = (nil, ["no @Entity"], text)
      return
    }
    let context = sequence(first: Syntax(declaration).parent, next: { $0?.parent }).compactMap(
      \.self
    )
    .filter { $0.asProtocol((any DeclGroupSyntax).self) != nil }
    let parsed = EntityParser.parse(declaration, attribute, inside: context)
    spec = parsed.spec
    messages = parsed.diagnostics.map(\.message)
    fixed = FixItApplier.applyFixes(from: parsed.diagnostics, filterByMessages: nil, to: file)
  }

  /// The properties of a struct with these members, besides its identifier.
  static func properties(_ members: String) -> [PropertySpec]? {
    Source("@Entity struct Hat {\n  var id = Identifier<Hat>()\n  \(members)\n}").spec?.properties
  }
}

/// Finds the declaration that `@Entity` is attached to.
private final class EntityFinder: SyntaxAnyVisitor {
  var found: (AttributeSyntax, any DeclGroupSyntax)?

  override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
    guard let group = node.asProtocol((any DeclGroupSyntax).self) else { return .visitChildren }
    for case .attribute(let attribute) in group.attributes
    where attribute.attributeName.trimmedDescription == "Entity" {
      found = (attribute, group)
      return .skipChildren
    }
    return .visitChildren
  }
}

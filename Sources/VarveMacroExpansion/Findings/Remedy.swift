import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The title of a fix-it.
private struct Remedy: FixItMessage {
  let message: String
  let id: String

  var fixItID: MessageID { MessageID(domain: "Varve", id: id) }
}

extension FixIt {
  private static func replacing(
    _ old: some SyntaxProtocol,
    with new: some SyntaxProtocol,
    _ message: String,
    id: String
  ) -> FixIt {
    FixIt(
      message: Remedy(message: message, id: id),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))]
    )
  }

  /// Replaces a node by a text, and keeps the surrounding trivia.
  static func replacing(_ node: some SyntaxProtocol, with text: String, id: String) -> FixIt {
    let token = TokenSyntax(
      .identifier(text),
      leadingTrivia: node.leadingTrivia,
      trailingTrivia: node.trailingTrivia,
      presence: .present
    )
    return replacing(node, with: token, "replace with '\(text)'", id: id)
  }

  /// Turns a constant into a variable.
  static func makingVariable(_ property: VariableDeclSyntax) -> FixIt {
    replacing(property.bindingSpecifier, with: "var", id: "makeVariable")
  }

  /// Excludes a property, and adds a placeholder value if it has none.
  static func addingTransient(_ property: VariableDeclSyntax, valueMissing: Bool) -> FixIt {
    let value = valueMissing ? " = <#value#>" : ""
    let text = "@Transient \(property.trimmedDescription)\(value)"
    let new: DeclSyntax = "\(property.leadingTrivia)\(raw: text)\(property.trailingTrivia)"
    let message = valueMissing ? "add '@Transient' and a default value" : "add '@Transient'"
    return replacing(property, with: new, message, id: "addTransient")
  }

  /// Adds a placeholder value to a property.
  static func addingValue(_ binding: PatternBindingSyntax) -> FixIt {
    let text = "\(binding.trimmedDescription) = <#value#>"
    let token = TokenSyntax(
      .identifier(text),
      leadingTrivia: binding.leadingTrivia,
      trailingTrivia: binding.trailingTrivia,
      presence: .present
    )
    return replacing(binding, with: token, "add a default value", id: "addValue")
  }

  /// Removes an attribute.
  static func removing(_ attribute: AttributeSyntax, from property: VariableDeclSyntax) -> FixIt {
    var new = property
    new.attributes = property.attributes.filter { $0.id != attribute.id }
    new.leadingTrivia = property.leadingTrivia
    let name = attribute.attributeName.trimmedDescription
    return replacing(property, with: new, "remove '@\(name)'", id: "removeAttribute")
  }

  /// Removes a modifier.
  static func removing(_ modifier: DeclModifierSyntax, from property: VariableDeclSyntax) -> FixIt {
    var new = property
    new.modifiers = property.modifiers.filter { $0.id != modifier.id }
    new.leadingTrivia = property.leadingTrivia
    let message = "remove '\(modifier.trimmedDescription)'"
    return replacing(property, with: new, message, id: "removeModifier")
  }

  /// Adds an identifier to a model.
  static func insertingIdentifier(_ code: String, into model: StructDeclSyntax) -> FixIt {
    let members = model.memberBlock.members
    let trivia = members.first?.leadingTrivia ?? []
    let declaration: DeclSyntax = "\(raw: code)"
    var item = MemberBlockItemSyntax(decl: declaration)
    if trivia.contains(where: \.isNewline) {
      item.leadingTrivia = Trivia(pieces: [.newlines(1)] + trivia.indentation)
    } else if members.isEmpty {
      item.leadingTrivia = model.memberBlock.leftBrace.trailingTrivia.isEmpty ? .space : []
      item.trailingTrivia = .space
    } else {
      item.semicolon = .semicolonToken(trailingTrivia: .space)
    }
    var new = model.memberBlock
    new.members = MemberBlockItemListSyntax([item] + Array(members))
    return replacing(model.memberBlock, with: new, "add '\(code)'", id: "insertIdentifier")
  }
}

extension Trivia {
  /// The blanks after the last line break.
  fileprivate var indentation: [TriviaPiece] {
    Array(pieces.reversed().prefix { !$0.isNewline }.reversed().filter(\.isSpaceOrTab))
  }
}

import SwiftParser
import SwiftSyntax

/// Varve's attributes on a property.
struct Marks {
  let fields: [AttributeSyntax]
  let relation: AttributeSyntax?
  let transient: AttributeSyntax?

  init(of attributes: AttributeListSyntax) {
    func all(_ name: String) -> [AttributeSyntax] {
      attributes.compactMap { $0.as(AttributeSyntax.self) }.filter { $0.isNamed(name) }
    }
    fields = all("Field")
    relation = all("Relation").first
    transient = all("Transient").first
  }

  /// The attributes that describe how a property is stored.
  var storing: [AttributeSyntax] { fields + (relation.map { [$0] } ?? []) }
}

extension AttributeSyntax {
  /// Returns whether it is Varve's attribute of this name.
  func isNamed(_ name: String) -> Bool {
    let written = attributeName.trimmedDescription
    return written == name || written == "Varve." + name
  }

  /// The arguments in its parentheses.
  var argumentList: LabeledExprListSyntax {
    arguments?.as(LabeledExprListSyntax.self) ?? []
  }
}

extension LabeledExprListSyntax {
  /// The expression with a label; nil if there is none.
  subscript(_ label: String) -> ExprSyntax? {
    first { $0.label?.text == label }?.expression
  }
}

extension ExprSyntax {
  /// The text of a string literal without interpolation.
  var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}

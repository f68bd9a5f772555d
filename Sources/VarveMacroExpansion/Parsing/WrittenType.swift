package import SwiftSyntax
import SwiftSyntaxBuilder

/// The type of a property, as far as the source text shows it.
package struct WrittenType: Equatable, Sendable {
  /// The types that are treated specially.
  package enum Form: Equatable, Sendable {
    /// Another type, or one that cannot be determined.
    case other
    case date
    case identifier(of: String)
    case reference(to: String)
    case many(of: String)
    /// A `Child` or a `Lazy`, or a collection of them; the text is the name.
    case link(String)
    /// A type that cannot be stored; the text describes it.
    case unstorable(String)
  }

  package var form: Form
  package var isOptional: Bool
  /// Whether it is a link, a list of links, or an optional of these: what a class can store.
  package var isPlainLink = false

  package init(_ form: Form, isOptional: Bool = false) {
    self.form = form
    self.isOptional = isOptional
  }

  /// Creates the type of a type annotation.
  package init(_ type: TypeSyntax) {
    if let optional = type.as(OptionalTypeSyntax.self) {
      self = WrittenType(optional.wrappedType).optional
    } else if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      self = WrittenType(optional.wrappedType).optional
    } else if let array = type.as(ArrayTypeSyntax.self) {
      self = WrittenType.list(of: array.element)
    } else if let dictionary = type.as(DictionaryTypeSyntax.self) {
      self = WrittenType.collection(of: [dictionary.key, dictionary.value])
    } else if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1,
      let only = tuple.elements.first
    {
      self = WrittenType(only.type)
    } else if let identifier = type.as(IdentifierTypeSyntax.self) {
      self.init(named: identifier.name.text, identifier.genericArgumentClause)
    } else if let member = type.as(MemberTypeSyntax.self) {
      self.init(member)
    } else {
      self.init(unnamed: type)
    }
  }

  /// Creates the type of a value that has no type annotation.
  package init(of value: ExprSyntax) {
    if value.is(ClosureExprSyntax.self) {
      self.init(.unstorable("a closure"))
    } else if let tuple = value.as(TupleExprSyntax.self), tuple.elements.count != 1 {
      self.init(.unstorable("a tuple"))
    } else if let call = value.as(FunctionCallExprSyntax.self) {
      self.init(constructed: call.calledExpression)
    } else if let member = value.as(MemberAccessExprSyntax.self), let base = member.base,
      member.declName.baseName.text == "now"
    {
      self.init(constructed: base)
    } else {
      self.init(.other)
    }
  }

  private var optional: WrittenType {
    var optional = WrittenType(form, isOptional: true)
    optional.isPlainLink = isPlainLink && !isOptional
    return optional
  }

  private init(named name: String, _ generics: GenericArgumentClauseSyntax?) {
    let arguments = generics?.arguments.map { argument in
      // The argument is a type in some versions of the syntax, and a type or a value in others.
      Syntax(argument.argument).as(TypeSyntax.self)
    }
    let first = arguments?.first?.flatMap(\.self)
    switch (name, first) {
    case ("Date", nil): self.init(.date)
    case ("Any", nil), ("AnyObject", nil): self.init(.unstorable("any value at all"))
    case ("Void", nil): self.init(.unstorable("nothing"))
    case ("Identifier", let model?): self.init(.identifier(of: model.lastName))
    case ("Ref", let model?): self.init(.reference(to: model.lastName))
    case ("Many", let model?): self.init(.many(of: model.lastName))
    case ("Child", _?), ("Lazy", _?):
      self.init(.link(name))
      isPlainLink = true
    case ("Optional", let wrapped?): self = WrittenType(wrapped).optional
    case ("Array", let element?): self = WrittenType.list(of: element)
    case ("Array", _), ("Set", _), ("Dictionary", _):
      self = WrittenType.collection(of: arguments?.compactMap(\.self) ?? [])
    default: self.init(.other)
    }
  }

  private init(_ member: MemberTypeSyntax) {
    let modules: Set<String> = ["Varve", "VarveStore", "VarveCore", "Foundation", "Swift"]
    guard modules.contains(member.baseType.trimmedDescription) else {
      self.init(.other)
      return
    }
    self.init(named: member.name.text, member.genericArgumentClause)
  }

  private init(unnamed type: TypeSyntax) {
    switch type.as(TypeSyntaxEnum.self) {
    case .tupleType(let tuple):
      self.init(.unstorable(tuple.elements.isEmpty ? "nothing" : "a tuple"))
    case .functionType: self.init(.unstorable("a closure"))
    case .attributedType(let attributed): self.init(attributed.baseType)
    case .someOrAnyType, .compositionType:
      self.init(.unstorable("a value of any type that conforms to a protocol"))
    case .metatypeType: self.init(.unstorable("a type"))
    default: self.init(.other)
    }
  }

  /// Creates the type whose initialiser is called, if the call names it.
  private init(constructed callee: ExprSyntax) {
    var type = callee
    if let member = callee.as(MemberAccessExprSyntax.self), let base = member.base,
      member.declName.baseName.text == "init"
    {
      type = base
    }
    let isNamed =
      type.is(DeclReferenceExprSyntax.self) || type.is(GenericSpecializationExprSyntax.self)
      || type.is(MemberAccessExprSyntax.self)
    if isNamed {
      self.init("\(raw: type.trimmedDescription)" as TypeSyntax)
    } else {
      self.init(.other)
    }
  }

  /// Returns the type of a list. Its elements may be links, but not optional links or lists of
  /// links.
  private static func list(of element: TypeSyntax) -> WrittenType {
    var list = collection(of: [element])
    list.isPlainLink = ["Child", "Lazy"].contains(element.lastName)
    return list
  }

  /// Returns the type of a collection, which can be stored if its elements can.
  private static func collection(of elements: [TypeSyntax]) -> WrittenType {
    for element in elements {
      switch WrittenType(element).form {
      case .unstorable(let what): return WrittenType(.unstorable(what))
      case .link(let name): return WrittenType(.link(name))
      default: continue
      }
    }
    return WrittenType(.other)
  }
}

extension TypeSyntax {
  /// The last part of a name: `Hat` of `Shop.Hat`.
  var lastName: String {
    (self.as(MemberTypeSyntax.self)?.name ?? self.as(IdentifierTypeSyntax.self)?.name)?.text
      .withoutBackticks ?? trimmedDescription
  }
}

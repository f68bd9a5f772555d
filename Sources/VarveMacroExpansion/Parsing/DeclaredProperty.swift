import SwiftSyntax

/// A property of a struct or class: `var a, b: Int` declares two.
struct DeclaredProperty {
  /// The source of a property's value.
  enum Storage {
    /// The property is stored and can be set.
    case stored
    /// The property is not stored; the text describes it.
    case elsewhere(String)
  }

  let declaration: VariableDeclSyntax
  let binding: PatternBindingSyntax
  let storage: Storage
  /// The name, including backticks; nil for a tuple.
  let name: String?
  let type: WrittenType
  let typeSyntax: TypeSyntax?
  let marks: Marks

  /// Whether the property has an initial value.
  var hasValue: Bool { binding.initializer != nil || (type.isOptional && !isConstant) }
  var isConstant: Bool { declaration.bindingSpecifier.tokenKind == .keyword(.let) }

  var isStored: Bool {
    if case .stored = storage { true } else { false }
  }

  /// Returns the properties of one declaration.
  static func all(in declaration: VariableDeclSyntax) -> [DeclaredProperty] {
    let marks = Marks(of: declaration.attributes)
    // A type also applies to the names before it, back to the last that has a type or a value.
    var type: TypeSyntax?
    var properties: [DeclaredProperty] = []
    for binding in declaration.bindings.reversed() {
      if let written = binding.typeAnnotation?.type {
        type = written
      } else if binding.initializer != nil {
        type = nil
      }
      properties.append(DeclaredProperty(declaration, binding, type, marks))
    }
    return properties.reversed()
  }

  private init(
    _ declaration: VariableDeclSyntax,
    _ binding: PatternBindingSyntax,
    _ type: TypeSyntax?,
    _ marks: Marks
  ) {
    self.declaration = declaration
    self.binding = binding
    self.marks = marks
    typeSyntax = type
    name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    if let type {
      self.type = WrittenType(type)
    } else {
      self.type = binding.initializer.map { WrittenType(of: $0.value) } ?? WrittenType(.other)
    }
    storage = DeclaredProperty.storage(of: declaration, binding)
  }

  private static func storage(
    of declaration: VariableDeclSyntax,
    _ binding: PatternBindingSyntax
  ) -> Storage {
    for modifier in declaration.modifiers {
      switch modifier.name.tokenKind {
      case .keyword(.static), .keyword(.class): return .elsewhere("a static property")
      case .keyword(.lazy): return .elsewhere("a lazy property")
      // The superclass stores it.
      case .keyword(.override): return .elsewhere("an overriding property")
      default: continue
      }
    }
    if let accessors = binding.accessorBlock?.accessors {
      guard case .accessors(let list) = accessors, list.allSatisfy(\.isObserver) else {
        return .elsewhere("a computed property")
      }
    }
    let isConstant = declaration.bindingSpecifier.tokenKind == .keyword(.let)
    if isConstant, binding.initializer != nil { return .elsewhere("a constant with a value") }
    return .stored
  }
}

extension AccessorDeclSyntax {
  /// Whether it observes a stored property; other accessors make a property computed.
  fileprivate var isObserver: Bool {
    switch accessorSpecifier.tokenKind {
    case .keyword(.willSet), .keyword(.didSet): true
    default: false
    }
  }
}

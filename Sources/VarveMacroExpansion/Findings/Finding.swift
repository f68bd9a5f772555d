package import SwiftDiagnostics

/// The errors of a model, as compiler diagnostics.
package enum Finding: Equatable {
  case notStruct(kind: String)
  case generic
  case genericClass
  case kindOutsideClass
  case classOption(name: String)
  case classConstant(name: String)
  case linkInStruct(name: String, link: String)
  case linkForm(name: String, link: String)
  case manyInClass(name: String)
  case classIdentifierBelow
  case classIdentifierType
  case classIdentifierFixed
  case privateNested

  case idMissing(model: String)
  case idOfOtherType(model: String)
  case idConstant
  case idHidden

  case unstorable(name: String, what: String)
  case pattern
  case conditional
  case transientWithoutValue(name: String)
  case relationConstant(name: String)
  case manyOptional(name: String)
  case dateConstant(name: String)
  case incomparable(name: String, what: String)

  case markOnUnstored(mark: String, what: String)
  case markOutsideEntity(mark: String)
  case relationOnValue(name: String)
  case inverseOfReference
  case inverseNotLiteral
  case inverseOfOther(target: String)

  case storedNameNotLiteral
  case storedTwice(storedName: String)
  case listNotLiteral(argument: String)
  case uniqueUnknown(name: String)
  case uniqueWithoutColumn(name: String)
}

extension Finding: DiagnosticMessage {
  package var severity: DiagnosticSeverity { .error }

  package var diagnosticID: MessageID {
    MessageID(domain: "Varve", id: String("\(self)".prefix { $0 != "(" }))
  }

  package var message: String {
    switch self {
    case .notStruct, .generic, .privateNested, .genericClass, .kindOutsideClass, .classOption,
      .classConstant:
      modelMessage
    case .idMissing, .idOfOtherType, .idConstant, .idHidden, .classIdentifierBelow,
      .classIdentifierType, .classIdentifierFixed:
      identifierMessage
    case .unstorable, .pattern, .conditional, .transientWithoutValue, .relationConstant,
      .manyOptional, .dateConstant, .incomparable, .linkInStruct, .linkForm, .manyInClass:
      propertyMessage
    case .markOnUnstored, .markOutsideEntity, .relationOnValue, .inverseOfReference,
      .inverseNotLiteral, .inverseOfOther:
      markMessage
    case .storedNameNotLiteral, .storedTwice, .listNotLiteral, .uniqueUnknown,
      .uniqueWithoutColumn:
      nameMessage
    }
  }

  private var modelMessage: String {
    switch self {
    case .notStruct(let kind):
      "@Entity is for structs, and this is \(kind)"
        + (kind == "a class" ? "; @Entity(kind:) is for those" : "")
    case .generic: "a generic struct cannot be an entity: one model has one table"
    case .genericClass: "a generic class cannot be an entity: one kind has one class"
    case .kindOutsideClass: "a kind is for classes: the table of a struct is '@Entity(\"name\")'"
    case .classOption(let name): "'\(name)' is for models that are structs"
    case .classConstant(let name): "'\(name)' must be a variable, to be brought up to date"
    case .privateNested: "a nested model must be 'fileprivate' at least, for @Entity to extend it"
    default: ""
    }
  }

  private var identifierMessage: String {
    switch self {
    case .idMissing(let model): "a model needs an identifier: 'var id = Identifier<\(model)>()'"
    case .idOfOtherType(let model): "'id' must be an 'Identifier<\(model)>'"
    case .idConstant: "'id' must be a variable"
    case .idHidden: "'id' must be as accessible as its model, to be set as well"
    case .classIdentifierBelow: "the class above has the identifier already"
    case .classIdentifierType: "'id' must be an 'EntityID'"
    case .classIdentifierFixed: "'id' with a value must be a variable: rows have one of their own"
    default: ""
    }
  }

  private var propertyMessage: String {
    switch self {
    case .unstorable(let name, let what): "'\(name)' cannot be stored: it is \(what)"
    case .pattern: "properties of a model are declared one by one, not as a tuple"
    case .conditional:
      "stored properties of a model cannot depend on '#if': mark them @Transient, or move them out"
    case .transientWithoutValue(let name):
      "'\(name)' is @Transient and needs a default value, for rows do not have it"
    case .relationConstant(let name):
      "'\(name)' relates models and must be a variable, to be loaded"
    case .manyOptional(let name):
      "'\(name)' cannot be optional: a 'Many' that is not loaded is one already"
    case .dateConstant(let name): "'\(name)' is set by saving and must be a variable"
    case .incomparable(let name, let what):
      "'\(name)' cannot be compared: it is \(what); declare '==' in the struct, or do not name "
        + "'Equatable' and 'Hashable'"
    case .linkInStruct(let name, let link):
      "'\(name)' cannot be stored: a '\(link)' links live objects, and models that are structs "
        + "relate by 'Ref' and 'Many'"
    case .linkForm(let name, let link):
      "'\(name)' cannot be stored: write '\(link)<T>', '[\(link)<T>]' or an optional of these"
    case .manyInClass(let name):
      "'\(name)' cannot be stored: live objects link to many others by '[Child<T>]' or '[Lazy<T>]'"
    default: ""
    }
  }

  private var markMessage: String {
    switch self {
    case .markOnUnstored(let mark, let what): "@\(mark) has no meaning for \(what)"
    case .markOutsideEntity(let mark):
      "@\(mark) is for the stored properties of an @Entity struct or class"
    case .relationOnValue(let name):
      "@Relation is for properties written as 'Ref' or 'Many', and '\(name)' is neither"
    case .inverseOfReference: "a 'Ref' has no inverse: name this property as that of the 'Many'"
    case .inverseNotLiteral: "'inverse' must be written out as a key path, like '\\Hat.shop'"
    case .inverseOfOther(let target): "'inverse' must be a property of '\(target)'"
    default: ""
    }
  }

  private var nameMessage: String {
    switch self {
    case .storedNameNotLiteral: "the stored name must be a string literal without interpolation"
    case .storedTwice(let name): "two properties are stored as \"\(name)\""
    case .listNotLiteral(let argument):
      "'\(argument)' must be written out: lists of property names, as string literals"
    case .uniqueUnknown(let name): "the model stores no property \"\(name)\""
    case .uniqueWithoutColumn(let name):
      "\"\(name)\" cannot be in a list of columns: rows have no value for it"
    default: ""
    }
  }
}

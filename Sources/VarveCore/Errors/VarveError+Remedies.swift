extension VarveError.Code {
  /// The general way to resolve an error of this kind. Many errors have a more precise one:
  /// ``VarveError/remedy``.
  public var remedy: String {
    switch self {
    case .notFound: "Check the name; the history shows what was erased."
    case .ownersDead: "Restore it with its owners, or as a root."
    case .duplicateIdentifier: "Use another identifier, or change the entity that has it."
    case .invalidIdentifier: "Use 1 to 1,024 bytes of UTF-8."
    case .valueTooLarge: "Store it in parts, or sum fewer values."
    case .unsupportedValue: "Use a value of another kind."
    case .timeOutOfRange: "Use a date within the years −2490 to 6429."
    case .invalidQuery: "Correct the query."
    case .unknownProperty: "Name a property of the model."
    case .missingField: "Store a value, or declare the property as optional."
    case .fieldType:
      "Store a value of that kind, or declare the property with the type of the stored one."
    case .notAStore: "Check the path, or create a store under another name."
    case .newerFormat: "Update Varve."
    case .damaged: "Use another copy: a backup, or a store that synchronises with this one."
    case .readOnly: "Open the store for writing, and check the permissions of its file and folder."
    case .diskFull: "Free some space and try again."
    case .busy: "Try again, or wait longer."
    case .nestedTransaction: "Use the transaction, or make the call after it has ended."
    case .transactionEnded: "Use a transaction only inside its closure."
    case .missingDependencies: "Add the missing commits first, as a synchronisation does."
    case .inputOutput: "Check the path, its permissions and the device, and try again."
    case .typeMismatch: "Use the type of the entity, or another entity."
    case .noContainer: "Keep the store and the context for as long as what they loaded."
    case .hookRefused: "Change what the hook refused, or remove the hook."
    case .orphanRefused: "Give the entity another owner first, or use another orphan policy."
    case .validationFailed: "Correct the values and write again."
    case .unresolvedKey: "Name an entity that exists, or let the reference create it."
    case .noSuchDocument: "Check the identifier, or save the object first."
    case .malformedDocument: "Read it as an entity."
    case .unregisteredKind: "Register its class."
    case .kindMismatch: "Load it as its own kind, or as a superclass's."
    case .notEncodable: "Use a type that can be stored, or leave the property out."
    case .invalidJSON: "Correct the document at that place."
    case .invalidYAML: "Correct the document at that place, and use only what JSON can express."
    case .invalidInterchange:
      "Use a document that Varve exported, or one as Interchange.md describes."
    case .invalidMapping: "Correct the mapping as Mapping.md describes."
    case .noIdentificationAttribute: "Give the mapping an identification attribute, or use objects."
    case .cancelled: "Start again: nothing was written."
    case .invalidOperation: "Correct the operation as Operations.md describes."
    case .unsupported: "Use another call, or another kind of store."
    case .compacted: "Read a later state."
    case .historyAwaited: "Synchronise until the history has arrived."
    case .invalidArgument: "Use an argument that the call accepts."
    case .closed: "Open it again."
    }
  }
}

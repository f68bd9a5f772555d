extension Cell.Content {
  /// The property a cell is about, if it is about one.
  package var key: PropertyKey? {
    switch self {
    case .value(let key, _, _), .removal(let key), .collection(let key): key
    case .life, .add, .remove: nil
    }
  }

  /// The value written, if one was.
  package var value: Value? { if case .value(_, let value, _) = self { value } else { nil } }

  /// The semantic type written, if one was.
  package var semanticType: String? {
    switch self {
    case .value(_, _, let semanticType): semanticType
    case .collection: ""
    default: nil
    }
  }
}

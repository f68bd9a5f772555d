import VarveCore

/// The checks of a property's options.
extension SchemaField {
  /// The checks of the property. An option that does not fit the property's type makes the schema
  /// invalid. If the type alone does not decide that, the check examines the value: no rule
  /// accepts a value that it cannot check.
  var checks: [SchemaCheck<Model>] {
    options.compactMap { option in
      switch option.content {
      case .required: check { $0.presence(of: $1, $2) }
      case .range(let range):
        check { [range = range.of(form, nearest: nearest)] in range.check($0, $1, $2) }
      case .length(let length): lengthCheck(length)
      case .pattern(let pattern):
        check { validation, key, value in
          guard let value, value.stringValue == nil else {
            return try pattern.check(validation, key, value?.stringValue)
          }
          return validation.adding(key: key, message: "mismatch")
        }
      case .check(let own): check { own($0, $1, $2) }
      default: nil
      }
    }
  }

  private func check(
    _ body: @escaping @Sendable (Validation, String, Value?) throws -> Validation
  ) -> SchemaCheck<Model> {
    SchemaCheck { [name, value] in try body($0, name, try value($1)) }
  }

  /// Returns a check of the number of characters of a text, bytes of data or elements of a
  /// collection.
  private func lengthCheck(_ length: LengthOption) -> SchemaCheck<Model> {
    if let count {
      return SchemaCheck { [name] in $0.length(of: name, count: count($1), length) }
    }
    return check { validation, key, value in
      guard let value else { return validation }
      guard let count = value.length else {
        return validation.adding(key: key, message: "mismatch")
      }
      return validation.length(of: key, count: count, length)
    }
  }

  /// The error of the first option that does not fit the property, or nil.
  var refusal: VarveError? {
    if isConstantRelation {
      return refusal("The relation", "is not a variable, so that nothing can load it")
    }
    for option in options {
      if let (name, reason) = misfit(option) { return refusal(name, reason) }
    }
    return nil
  }

  func refusal(_ option: String, _ reason: String) -> VarveError {
    VarveError(
      .invalidArgument,
      "\(option) of \"\(name)\" \(reason)",
      at: "schema of \(Model.self), \(name)",
      remedy: "Omit the option, or give the property a type that supports it."
    )
  }

  /// Returns the name of an option and the reason why it does not fit the property.
  private func misfit(_ option: FieldOption) -> (name: String, reason: String)? {
    let isOf = "is of \(form.name)"
    return switch option.content {
    case .required where form == .many: (".required", isOf)
    case .check where form == .many: (".check", isOf)
    case .unique where form == .many: (".unique", isOf)
    case .index where form == .many: (".index", isOf)
    case .converted where form == .many: (".converted", isOf)
    case .searchable where form != .text && form != .any:
      (".searchable", isOf + ", and it finds words")
    case .createdAt where date == nil: (".createdAt", "is not of a variable date")
    case .updatedAt where date == nil: (".updatedAt", "is not of a variable date")
    case .range(let range) where !form.compares(with: range.form):
      (".range", isOf + ", and has ends of \(range.form.name)")
    case .range(let range) where range.lacksEnd: (".range", "has an end that cannot be stored")
    case .length where ![.text, .data, .collection, .any].contains(form): (".length", isOf)
    case .pattern where form != .text && form != .any: (".pattern", isOf)
    case .relation where relation == nil: (".relation", isOf)
    case .relation(let relation) where form == .reference && relation.inverse != nil:
      (".relation", "has an inverse, which only a relation to many has")
    default: nil
    }
  }
}

extension Value {
  /// The length of a text, data or an array.
  fileprivate var length: Int? {
    switch self {
    case .string(let text): text.count
    case .data(let data): data.count
    case .array(let values): values.count
    default: nil
    }
  }
}

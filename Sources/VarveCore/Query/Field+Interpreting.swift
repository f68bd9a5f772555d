/// A step into an array or a dictionary.
public enum ValueStep: Hashable, Sendable {
  /// The value of a dictionary's key.
  case key(PropertyKey)
  /// The element of an array at an index from 0.
  case index(Int)
}

extension Field {
  /// The field with its texts compared without regard to case: by Unicode's simple case folding,
  /// which is the same in every locale. It applies to every comparison, to `contains` and
  /// `hasPrefix`, to orders, to joins and to the keys of groups. Values of other kinds stay as they
  /// are.
  ///
  /// ```swift
  /// let query = Query("people").where(Field("name").ignoringCase == "anna")
  ///   .order(by: Field("name").ignoringCase)
  /// ```
  ///
  /// No index serves it.
  public var ignoringCase: Field { .folded(self) }

  /// Returns the value of a key in a dictionary. It is missing if the field is no dictionary or
  /// lacks the key.
  ///
  /// ```swift
  /// let query = Query("people").where(Field("address")["city"] == "Rome")
  /// ```
  public subscript(key: PropertyKey) -> Field { inside(.key(key)) }

  /// Returns the element of an array at an index from 0. It is missing if the field is no array or
  /// is shorter.
  public subscript(index: Int) -> Field { inside(.index(index)) }

  private func inside(_ step: ValueStep) -> Field {
    switch self {
    case .inside(let field, let path): .inside(field, path + [step])
    case .decimal(let field): .decimal(field.inside(step))
    case .folded(let field): .folded(field.inside(step))
    case .joined(let type, let field): .joined(type, field.inside(step))
    default: .inside(self, [step])
    }
  }
}

extension Value {
  /// Returns the value inside this one, or nil if there is none.
  package func at(_ path: some Sequence<ValueStep>) -> Value? {
    var value = self
    for step in path {
      switch (step, value) {
      case (.key(let key), .dictionary(let fields)):
        guard let next = fields[key] else { return nil }
        value = next
      case (.index(let index), .array(let elements)):
        guard elements.indices.contains(index) else { return nil }
        value = elements[index]
      default: return nil
      }
    }
    return value
  }

  /// The value with its case folded, if it is a text.
  package var folded: Value {
    if case .string(let text) = self { .string(text.caseFolded) } else { self }
  }

  /// The value with a reference as the text of its identifier.
  package var withoutReference: Value {
    if case .reference(let id) = self { .string(id.text) } else { self }
  }
}

extension ValueStep {
  /// The step as a value: a text, or an integer.
  package var value: Value {
    switch self {
    case .key(let key): .string(key.text)
    case .index(let index): .int(Int64(index))
    }
  }

  /// Creates a step from its value.
  package init?(_ value: Value) {
    switch value {
    case .string(let text): self = .key(PropertyKey(text))
    case .int(let index): self = .index(Int(index))
    default: return nil
    }
  }
}

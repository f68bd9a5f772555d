public import VarveCore

extension ModelColumn where V == String {
  /// The property with its texts compared without regard to case; see ``Field/ignoringCase``.
  ///
  /// ```swift
  /// let annas = Person.where { $0.name.ignoringCase == "anna" }
  /// ```
  public var ignoringCase: ModelColumn { ModelColumn(field: field.ignoringCase, stored: stored) }
}

extension ModelColumn where V == String? {
  /// The property with its texts compared without regard to case; see ``Field/ignoringCase``.
  public var ignoringCase: ModelColumn { ModelColumn(field: field.ignoringCase, stored: stored) }
}

extension ModelColumn {
  /// Returns the value of a key in a property that is stored as a dictionary, such as one of a
  /// `Codable` struct. It is missing if there is no dictionary or no such key.
  ///
  /// ```swift
  /// let romans = Person.where { $0.address["city", as: String.self] == "Rome" }
  /// ```
  public subscript<Inner: PropertyValue>(
    key: PropertyKey,
    as type: Inner.Type
  ) -> ModelColumn<Model, Inner?> {
    ModelColumn<Model, Inner?>(field: field[key].interpreted(as: type), stored: StoredForm())
  }

  /// Returns the value of a key in a property that is stored as a dictionary, as a `Codable` type
  /// such as an enumeration.
  @_disfavoredOverload
  public subscript<Inner: Codable & Sendable>(
    key: PropertyKey,
    as type: Inner.Type
  ) -> ModelColumn<Model, Inner?> {
    ModelColumn<Model, Inner?>(field: field[key], stored: StoredForm(coding: Inner?.self))
  }

  /// Returns the element of a property that is stored as an array, at an index from 0. It is
  /// missing if the array is shorter.
  public subscript<Inner: PropertyValue>(
    index: Int,
    as type: Inner.Type
  ) -> ModelColumn<Model, Inner?> {
    ModelColumn<Model, Inner?>(field: field[index].interpreted(as: type), stored: StoredForm())
  }

  /// Returns the element of a property that is stored as an array, as a `Codable` type such as an
  /// enumeration.
  @_disfavoredOverload
  public subscript<Inner: Codable & Sendable>(
    index: Int,
    as type: Inner.Type
  ) -> ModelColumn<Model, Inner?> {
    ModelColumn<Model, Inner?>(field: field[index], stored: StoredForm(coding: Inner?.self))
  }

  /// The array has an element that equals a value.
  ///
  /// ```swift
  /// let tagged = Hat.where { $0.tags.includes("new") }
  /// ```
  public func includes<Element: PropertyValue>(_ element: Element) -> Condition
  where V == [Element] {
    included(element.propertyValue, Element.self)
  }

  /// The array has an element that equals a value.
  public func includes<Element: PropertyValue>(_ element: Element) -> Condition
  where V == [Element]? {
    included(element.propertyValue, Element.self)
  }

  /// The array has an element that equals a value of a `Codable` type, such as an enumeration.
  @_disfavoredOverload
  public func includes<Element: Codable & Sendable>(_ element: Element) -> Condition
  where V == [Element] {
    included(try? StoredForm(coding: Element.self).value(element), Element.self)
  }

  /// The array has an element that equals a value of a `Codable` type, such as an enumeration.
  @_disfavoredOverload
  public func includes<Element: Codable & Sendable>(_ element: Element) -> Condition
  where V == [Element]? {
    included(try? StoredForm(coding: Element.self).value(element), Element.self)
  }

  private func included(_ value: Value?, _ type: Any.Type) -> Condition {
    guard let value else { return .or([]) }
    return .includes(field.interpreted(as: type), value)
  }
}

extension Field {
  /// Returns the field as it compares if it has values of a type.
  fileprivate func interpreted(as type: Any.Type) -> Field {
    PropertyForm(of: type) == .decimal ? .decimal(self) : self
  }
}

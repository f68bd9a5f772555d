public import VarveCore

extension Validation {
  /// Adds `blank` if a value is missing or is the empty string. White space counts as present, and
  /// so do zero, false and empty data.
  ///
  /// ```swift
  /// let validation = Validation(model: "Hat").presence(of: "color", hat["color"])
  /// ```
  public func presence(of key: String, _ value: Value?) -> Validation {
    if let value, value.stringValue?.isEmpty != true { return self }
    return adding(key: key, message: "blank")
  }

  /// Adds `blank` if a text is missing or empty.
  public func presence<Text: StringProtocol>(of key: String, _ value: Text?) -> Validation {
    if let value, !value.isEmpty { return self }
    return adding(key: key, message: "blank")
  }

  /// Adds `blank` if a value of any other type is missing. If its dynamic type is a text or a
  /// `Value`, an empty one is blank too.
  public func presence<Wrapped>(of key: String, _ value: Wrapped?) -> Validation {
    switch value {
    case nil: adding(key: key, message: "blank")
    case let text as any StringProtocol: text.isEmpty ? adding(key: key, message: "blank") : self
    case let value as Value: presence(of: key, value)
    default: self
    }
  }
}

/// What stands at the end of a way into an object.
enum JSONLookup {
  /// Nothing: a name on the way is missing.
  case absent
  /// Null, at the end or on the way.
  case null
  /// A value.
  case value(JSON)
  /// A scalar or an array stands on the way, after so many names, where an object was expected.
  case blocked(after: Int)

  static func find(_ names: [String], in object: JSON) -> JSONLookup {
    var json = object
    for (index, name) in names.enumerated() {
      guard case .object = json else { return .blocked(after: index) }
      guard let next = json[name] else { return .absent }
      if next == .null { return .null }
      json = next
    }
    return .value(json)
  }
}

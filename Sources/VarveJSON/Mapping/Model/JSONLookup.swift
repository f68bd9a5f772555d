/// The result of following a path into an object.
enum JSONLookup {
  /// A name on the path is missing.
  case absent
  /// The path ends at null, or null is on the path.
  case null
  /// A value.
  case value(JSON)
  /// After the given number of names, the path requires an object, and there is a scalar or an
  /// array.
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

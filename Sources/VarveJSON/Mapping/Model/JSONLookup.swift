/// The result of following a path into an object.
enum JSONLookup {
  /// A name on the path is missing.
  case absent
  /// The path ends at null, or null is on the path.
  case null
  /// A value.
  case value(JSON)
  /// After the given number of names, the path requires an object, or an array if the next name is
  /// an index, and there is another value.
  case blocked(after: Int)

  static func find(_ names: [String], in object: JSON) -> JSONLookup {
    var json = object
    for (index, name) in names.enumerated() {
      let next: JSON?
      switch json {
      case .object: next = json[name]
      case .array(let elements):
        guard let place = JSONPointer.index(name) else { return .blocked(after: index) }
        next = elements.indices.contains(place) ? elements[place] : nil
      default: return .blocked(after: index)
      }
      guard let next else { return .absent }
      if next == .null { return .null }
      json = next
    }
    return .value(json)
  }
}

import VarveCore

extension JSONPointer {
  /// Returns the names and indices of a pointer.
  ///
  /// - Throws: `VarveError` with code `invalidMapping` if the text is not a JSON pointer.
  static func steps(_ pointer: String) throws -> [String] {
    if pointer.isEmpty { return [] }
    guard pointer.hasPrefix("/") else {
      throw VarveError(
        .invalidMapping,
        "a JSON pointer must be empty or begin with a slash",
        at: "pointer \"\(pointer)\"",
        remedy: "Write /\(pointer)."
      )
    }
    for part in pointer.split(separator: "~", omittingEmptySubsequences: false).dropFirst()
    where !part.hasPrefix("0") && !part.hasPrefix("1") {
      throw VarveError(
        .invalidMapping,
        "a ~ in a JSON pointer must be followed by 0 or 1",
        at: "pointer \"\(pointer)\"",
        remedy: "Write ~0 for ~, and ~1 for / in a name."
      )
    }
    return names(pointer)
  }

  /// Returns the names and indices of a pointer that begins with a slash.
  static func names(_ pointer: String) -> [String] {
    pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
      String($0).replacing("~1", with: "/").replacing("~0", with: "~")
    }
  }

  /// Returns the index of an element that a name stands for; nil for any other name, such as one
  /// with a leading zero.
  static func index(_ name: String) -> Int? {
    guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let index = Int(name),
      String(index) == name
    else { return nil }
    return index
  }

  /// Returns the part of a document that a pointer names; nil if there is no such part.
  static func find(_ pointer: String, in document: JSON) throws -> JSON? {
    var json = document
    for step in try steps(pointer) {
      switch json {
      case .object:
        guard let next = json[step] else { return nil }
        json = next
      case .array(let elements):
        guard let index = index(step), elements.indices.contains(index) else { return nil }
        json = elements[index]
      default: return nil
      }
    }
    return json
  }
}

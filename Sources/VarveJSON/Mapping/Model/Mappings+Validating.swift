import VarveCore

extension Mappings {
  /// Checks that the names in mappings exist, and that mappings do not contradict themselves.
  ///
  /// - Throws: ``VarveError`` with code `invalidMapping`, or `noIdentificationAttribute` for a
  ///   relation by identifying values to a mapping without one; with the place, as a JSON pointer
  ///   into a mapping file.
  public func validate() throws {
    for name in names {
      guard let mapping = self[name] else { continue }
      let place = JSONPointer.text("mappings", name)
      try validateRelations(of: mapping, at: place)
      try Self.validateProperties(of: mapping, at: place)
      if let key = mapping.identification, mapping.identifyingAttribute == nil {
        throw VarveError(
          .invalidMapping,
          "no attribute gives the identification \"\(key)\"",
          at: "\(place)/id",
          remedy: "Map a key path to \"\(key)\"."
        )
      }
    }
    try validate(roots, at: "/roots")
  }

  /// Checks the mapped parts of a document.
  ///
  /// - Parameter place: the place of the roots.
  func validate(_ roots: [Root], at place: String) throws {
    var ways: [[String]] = []
    for (index, root) in roots.enumerated() {
      guard self[root.mapping] != nil else {
        throw missing(root.mapping, at: "\(place)/\(index)/mapping")
      }
      let way: [String]
      do {
        way = try JSONPointer.steps(root.pointer)
      } catch let error as VarveError {
        let here = "\(place)/\(index)/pointer"
        throw error.located(at: here)
      }
      for (other, otherWay) in zip(roots, ways)
      where way.starts(with: otherWay) || otherWay.starts(with: way) {
        throw VarveError(
          .invalidMapping,
          "the root \"\(root.pointer)\" overlaps the root \"\(other.pointer)\"",
          at: "\(place)/\(index)",
          remedy: "Map each part of a document once."
        )
      }
      ways.append(way)
    }
  }

  private func validateRelations(of mapping: Mapping, at place: String) throws {
    for (index, relation) in mapping.relations.enumerated() {
      let place = "\(place)/relationships/\(index)"
      guard let target = self[relation.mapping] else {
        throw missing(relation.mapping, at: "\(place)/mapping")
      }
      guard relation.isByID, target.identification == nil else { continue }
      throw VarveError(
        .noIdentificationAttribute,
        "the mapping \"\(target.name)\" has no identification attribute",
        at: "\(place)/fromIds",
        remedy: "Declare one, or give objects instead of identifying values."
      )
    }
  }

  /// Checks that each property has one line.
  private static func validateProperties(of mapping: Mapping, at place: String) throws {
    var lines: [PropertyKey: String] = [:]
    func claim(_ key: PropertyKey, _ line: String) throws {
      guard let other = lines.updateValue(line, forKey: key) else { return }
      throw VarveError(
        .invalidMapping,
        "the property \"\(key)\" is given twice: also by \(other)",
        at: line,
        remedy: "Give each property by one line of its mapping."
      )
    }
    for attribute in mapping.attributes {
      try claim(attribute.key, place + JSONPointer.text("attributes", attribute.path.text))
    }
    for (index, relation) in mapping.relations.enumerated() {
      try claim(relation.key, "\(place)/relationships/\(index)")
    }
  }

  private func missing(_ name: String, at place: String) -> VarveError {
    VarveError(
      .invalidMapping,
      "there is no mapping \"\(name)\"",
      at: place,
      remedy: "Add it, or name one of: \(names.sorted().joined(separator: ", "))."
    )
  }
}

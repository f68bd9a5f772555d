import VarveCore

extension Mappings {
  /// Checks that the names in mappings exist, and that mappings do not contradict themselves.
  ///
  /// - Throws: `VarveError` with code `invalidMapping`, or `noIdentificationAttribute` for a
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
      guard let mapping = self[root.mapping] else {
        throw missing(root.mapping, at: "\(place)/\(index)/mapping")
      }
      try mapping.validateReading(root.keyedBy, at: "\(place)/\(index)/keyedBy")
      let way: [String]
      do {
        way = try JSONPointer.steps(root.pointer)
      } catch let error as VarveError {
        let here = "\(place)/\(index)/pointer"
        throw error.located(at: here)
      }
      for (other, otherWay) in zip(roots, ways)
      where zip(way, otherWay).allSatisfy({ $0.isSame(as: $1) }) {
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
      try target.validateReading(relation.keyedBy, at: "\(place)/keyedBy")
      guard relation.isByID else { continue }
      if let name = relation.keyedBy, let attribute = target.identifyingAttribute,
        attribute.path != KeyPathInJSON(names: [name])
      {
        throw VarveError(
          .invalidMapping,
          "the names of the members would not be the identifying values of \"\(target.name)\"",
          at: "\(place)/keyedBy",
          remedy: "Name the member that gives the identification, or use \"from\"."
        )
      }
      guard target.identification == nil else { continue }
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

extension Mapping {
  /// Checks that a line reads the name that objects get from the object around them.
  fileprivate func validateReading(_ name: String?, at place: String) throws {
    guard let name else { return }
    let paths = attributes.map(\.path) + relations.map(\.path)
    guard !paths.contains(KeyPathInJSON(names: [name])) else { return }
    throw VarveError(
      .invalidMapping,
      "no line of the mapping \"\(self.name)\" reads the name of an object, \"\(name)\"",
      at: place,
      remedy: "Map the key path \"\(KeyPathInJSON(names: [name]).text)\" to a property."
    )
  }
}

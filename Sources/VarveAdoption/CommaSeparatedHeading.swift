import VarveCore

/// The first line of a comma-separated file, checked against how the file is to be read.
struct CommaSeparatedHeading {
  let names: [String]
  /// The place of the column that identifies a line.
  let keyPlace: Int?
  /// The place of the column with the identifiers themselves.
  let identifierPlace: Int?
  /// The properties; nil for the column of identifiers.
  let properties: [PropertyKey?]

  init(_ reader: CommaSeparatedReader, _ reading: CommaSeparatedReading) throws {
    guard let fields = try reader.next() else {
      throw reader.failure("the file is empty; its first line must name the columns")
    }
    let names = fields.map(\.text)
    let keys = names.map { PropertyKey($0) }
    if reading.separator == nil { try Self.refuseOtherSeparator(fields, reader) }
    try Self.refuse(repeated: keys, "heading", reader)
    let own = [reading.key, reading.identifiers].compactMap { $0.map { PropertyKey($0) } }
    let named = Array(reading.kinds.keys) + Array(reading.properties.keys)
    for name in named.sorted() + own where !keys.contains(name) {
      throw VarveError(
        .notFound,
        "there is no column \"\(name)\"",
        at: reader.place,
        remedy: "Name one of: \(names.joined(separator: ", "))."
      )
    }
    keyPlace = reading.key.flatMap { keys.firstIndex(of: PropertyKey($0)) }
    let identifierPlace = reading.identifiers.flatMap { keys.firstIndex(of: PropertyKey($0)) }
    properties = keys.enumerated().map { place, key in
      place == identifierPlace ? nil : reading.properties[key] ?? key
    }
    self.identifierPlace = identifierPlace
    self.names = names
    try Self.refuse(repeated: properties, "property", reader)
  }

  /// Throws if fewer commas than other separators divide the heading, or as many.
  private static func refuseOtherSeparator(
    _ fields: [CommaSeparatedField],
    _ reader: CommaSeparatedReader
  ) throws {
    let scalars = fields.filter { !$0.isQuoted }.flatMap(\.text.unicodeScalars)
    for (separator, name) in CommaSeparatedReader.others {
      let count = scalars.count { $0.value == separator }
      guard count > 0, count >= fields.count - 1 else { continue }
      throw reader.failure(
        "the heading has \(count == 1 ? "a \(name)" : "\(count) \(name)s") and "
          + (fields.count == 1 ? "no comma" : "no more commas"),
        line: reader.rowLine,
        column: 1,
        remedy: CommaSeparatedReader.separatorRemedy(name)
      )
    }
  }

  private static func refuse(
    repeated keys: [PropertyKey?],
    _ what: String,
    _ reader: CommaSeparatedReader
  ) throws {
    var places: [PropertyKey: Int] = [:]
    for (place, key) in keys.enumerated() {
      guard let key, let first = places.updateValue(place, forKey: key) else { continue }
      throw reader.failure(
        "columns \(first + 1) and \(place + 1) have the same \(what), \"\(key)\"",
        line: reader.rowLine,
        column: 1,
        remedy: "Give each column a \(what) of its own."
      )
    }
  }
}

import VarveCore
import VarveStore

/// A comma-separated file whose lines become entities.
struct CommaSeparatedTable {
  private let file: RereadableFile
  private let type: EntityType
  private let reading: CommaSeparatedReading
  private let heading: CommaSeparatedHeading
  let columns: [CommaSeparatedColumn]
  let rowCount: Int

  private static let batchCount = 500
  private static let batchByteCount = 8 << 20

  /// Reads the header, and the kinds of columns that are not given.
  init(_ path: String, _ type: EntityType, _ reading: CommaSeparatedReading) throws {
    guard reading.key == nil || reading.identifiers == nil else {
      throw VarveError(
        .invalidArgument,
        "a key and identifiers exclude each other",
        at: path,
        remedy: "Name the column of the key, or that of the identifiers."
      )
    }
    let file = try RereadableFile(path)
    let reader = try CommaSeparatedReader(file, separator: reading.separator)
    let heading = try CommaSeparatedHeading(reader, reading)
    let places = heading.names.indices.filter {
      reading.kinds[PropertyKey(heading.names[$0])] == nil && $0 != heading.keyPlace
        && $0 != heading.identifierPlace
    }
    var found = [ColumnKinds](repeating: ColumnKinds(), count: heading.names.count)
    var count = 0
    while let row = try reader.next() {
      try Self.check(row, heading, reader)
      count += 1
      for place in places {
        guard let text = Self.text(row[place], reading) else { continue }
        found[place].take(text, line: reader.rowLine)
      }
    }
    columns = heading.names.enumerated().map { place, name in
      CommaSeparatedColumn(
        heading: name,
        property: heading.properties[place],
        kind: reading.kinds[PropertyKey(name)] ?? found[place].kind,
        isKey: place == heading.keyPlace || place == heading.identifierPlace,
        exception: reading.kinds[PropertyKey(name)] == nil ? found[place].exception : nil
      )
    }
    rowCount = count
    self.heading = heading
    self.reading = reading
    self.file = file
    self.type = type
  }

  private static func check(
    _ row: [CommaSeparatedField],
    _ heading: CommaSeparatedHeading,
    _ reader: CommaSeparatedReader
  ) throws {
    guard row.count != heading.names.count else { return }
    throw reader.failure(
      "the line has \(row.count) fields, and the header \(heading.names.count)",
      line: reader.rowLine,
      column: 1
    )
  }

  /// Returns the text of a field; nil if it has no value.
  private static func text(
    _ field: CommaSeparatedField,
    _ reading: CommaSeparatedReading
  ) -> String? {
    guard field.isQuoted || !field.text.isEmpty else { return nil }
    return reading.missing.contains { $0.isSame(as: field.text) } ? nil : field.text
  }

  /// Writes the differences between the lines and the store.
  func write(
    to writer: EntityWriter,
    _ options: AdoptionOptions,
    _ progress: (AdoptionProgress) throws -> Void
  ) async throws {
    let reader = try CommaSeparatedReader(file, separator: reading.separator)
    let keys = heading.properties.compactMap(\.self)
    var lines: [EntityID: Int] = [:]
    var batch: [AdoptedRow] = []
    var (count, byteCount) = (0, 0)
    _ = try reader.next()
    while let row = try reader.next() {
      try Self.check(row, heading, reader)
      count += 1
      let id = try id(of: row, number: count, reader)
      if let first = lines.updateValue(reader.rowLine, forKey: id) {
        throw repeated(row, first, reader)
      }
      batch.append(AdoptedRow(id: id, type: type, values: try values(row, reader)))
      byteCount += row.reduce(0) { $0 + $1.text.utf8.count }
      guard batch.count == Self.batchCount || byteCount > Self.batchByteCount else { continue }
      try await writer.write(batch, keys: keys)
      try progress(AdoptionProgress(table: file.name, rowCount: count, totalRowCount: rowCount))
      (batch, byteCount) = ([], 0)
    }
    try await writer.write(batch, keys: keys)
    try progress(AdoptionProgress(table: file.name, rowCount: count, totalRowCount: rowCount))
    if reader.emptyLines.count > 0 {
      let (count, first) = reader.emptyLines
      writer.report.remark(
        count == 1
          ? "line \(first) is empty and was skipped"
          : "\(count) empty lines were skipped; the first is line \(first)"
      )
    }
    guard options.endsMissingRows else { return }
    let identity = RowIdentity(type.text)
    let gone = try await writer.reading.ids(of: Query(type))
      .filter { (heading.identifierPlace != nil || identity.derived($0)) && lines[$0] == nil }
    try await writer.end(gone)
  }

  /// Returns the identifier of a line's entity.
  private func id(
    of row: [CommaSeparatedField],
    number: Int,
    _ reader: CommaSeparatedReader
  ) throws -> EntityID {
    let identity = RowIdentity(type.text)
    guard let place = heading.keyPlace ?? heading.identifierPlace else {
      return try required(identity.id([.int(Int64(number))]), reader, at: 1)
    }
    guard let text = Self.text(row[place], reading), !text.isEmpty else {
      throw reader.failure(
        "the line has no key: \"\(heading.names[place])\" has no value",
        line: reader.rowLine,
        column: 1,
        remedy: "Give each line a key, or let the lines' numbers identify them."
      )
    }
    guard place == heading.keyPlace else {
      return try required(try? EntityID(text), reader, at: place + 1)
    }
    return try required(identity.id([.string(text)]), reader, at: place + 1)
  }

  private func required(
    _ id: EntityID?,
    _ reader: CommaSeparatedReader,
    at field: Int
  ) throws -> EntityID {
    if let id { return id }
    throw reader.failure(
      "field \(field) is no identifier",
      line: reader.rowLine,
      column: 1,
      remedy:
        "Identifiers have 1 to 1,024 bytes; use the column as the key, from which they derive."
    )
  }

  private func repeated(
    _ row: [CommaSeparatedField],
    _ first: Int,
    _ reader: CommaSeparatedReader
  ) -> VarveError {
    let place = heading.keyPlace ?? heading.identifierPlace ?? 0
    return reader.failure(
      "line \(first) has this key too: \"\(heading.names[place])\" is \"\(row[place].text)\"",
      line: reader.rowLine,
      column: 1,
      remedy: "Remove one of the lines, or name a column whose values differ."
    )
  }

  private func values(
    _ row: [CommaSeparatedField],
    _ reader: CommaSeparatedReader
  ) throws -> [Value?] {
    var values: [Value?] = []
    values.reserveCapacity(columns.count)
    for (place, column) in columns.enumerated() where place != heading.identifierPlace {
      guard let text = Self.text(row[place], reading) else {
        values.append(nil)
        continue
      }
      guard let value = column.kind.value(text) else {
        throw reader.failure(
          "field \(place + 1), \"\(column.heading)\", is not of the kind \(column.kind.rawValue): "
            + "\"\(text.prefix(80))\"",
          line: reader.rowLine,
          column: 1,
          remedy: "Correct the field, name it as a missing value, or give the column another kind."
        )
      }
      values.append(value)
    }
    return values
  }
}

import VarveCore
import VarveStore

/// A comma-separated file whose lines become entities.
struct CommaSeparatedTable {
  private let file: RereadableFile
  private let type: EntityType
  private let headings: [String]
  private let kinds: [FieldKind]
  private let keyPlace: Int?
  private let rowCount: Int

  private static let batchCount = 500
  private static let batchByteCount = 8 << 20

  /// Reads the header, and the kinds of columns that are not given.
  init(
    _ path: String,
    _ type: EntityType,
    key: String?,
    kinds given: [String: FieldKind]
  ) throws {
    let file = try RereadableFile(path)
    let reader = try CommaSeparatedReader(file)
    guard let headings = try reader.next()?.map(\.text) else {
      throw reader.failure("the file is empty; its first line must name the columns")
    }
    guard Set(headings.map { PropertyKey($0) }).count == headings.count else {
      throw reader.failure("two columns have the same heading", line: reader.rowLine, column: 1)
    }
    for name in given.keys.sorted() + [key].compactMap(\.self) where !headings.contains(name) {
      throw VarveError(.notFound, "there is no column \"\(name)\"", at: path)
    }
    keyPlace = key.flatMap { headings.firstIndex(of: $0) }
    var possible = headings.map { given[$0].map { [$0] } ?? FieldKind.inferred }
    if let keyPlace, given[headings[keyPlace]] == nil { possible[keyPlace] = [.text] }
    var filled = Set<Int>()
    var count = 0
    while let row = try reader.next() {
      try Self.check(row, headings, reader)
      count += 1
      for (place, field) in row.enumerated() where given[headings[place]] == nil {
        guard field.isQuoted || !field.text.isEmpty, place != keyPlace else { continue }
        filled.insert(place)
        possible[place].removeAll { $0.value(field.text) == nil }
      }
    }
    kinds = headings.indices.map { place in
      let isKnown = given[headings[place]] != nil || filled.contains(place)
      return isKnown ? possible[place].first ?? .text : .text
    }
    rowCount = count
    self.headings = headings
    self.file = file
    self.type = type
  }

  private static func check(
    _ row: [CommaSeparatedField],
    _ headings: [String],
    _ reader: CommaSeparatedReader
  ) throws {
    guard row.count != headings.count else { return }
    throw reader.failure(
      "the line has \(row.count) fields, and the header \(headings.count)",
      line: reader.rowLine,
      column: 1
    )
  }

  /// Writes the differences between the lines and the store.
  func write(
    to writer: EntityWriter,
    _ options: AdoptionOptions,
    _ progress: (AdoptionProgress) throws -> Void
  ) async throws {
    let reader = try CommaSeparatedReader(file)
    let identity = RowIdentity(type.text)
    let keys = headings.map { PropertyKey($0) }
    var present: Set<EntityID> = []
    var batch: [AdoptedRow] = []
    var (count, byteCount) = (0, 0)
    _ = try reader.next()
    while let row = try reader.next() {
      try Self.check(row, headings, reader)
      count += 1
      let key = keyPlace.map { Value.string(row[$0].text) } ?? .int(Int64(count))
      if let keyPlace, row[keyPlace].text.isEmpty {
        throw reader.failure("the line has no key", line: reader.rowLine, column: keyPlace + 1)
      }
      guard let id = identity.id([key]), present.insert(id).inserted else {
        throw reader.failure("another line has this key", line: reader.rowLine, column: 1)
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
    guard options.endsMissingRows else { return }
    let gone = try await writer.reading.handles(of: type).map(\.id)
      .filter { identity.derived($0) && !present.contains($0) }
    try await writer.end(gone)
  }

  private func values(
    _ row: [CommaSeparatedField],
    _ reader: CommaSeparatedReader
  ) throws -> [Value?] {
    try zip(row, kinds).enumerated().map { place, pair in
      let (field, kind) = pair
      guard field.isQuoted || !field.text.isEmpty else { return nil }
      if let value = kind.value(field.text) { return value }
      throw reader.failure(
        "field \(place + 1), \"\(headings[place])\", is not of the kind \(kind.rawValue)",
        line: reader.rowLine,
        column: 1
      )
    }
  }
}

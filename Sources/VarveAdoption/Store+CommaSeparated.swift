public import VarveCore
public import VarveStore

extension Store {
  /// Adopts a file of comma-separated values (RFC 4180) with a header, in one transaction.
  ///
  /// As ``adopt(csv:as:reading:_:progress:)`` with a key and kinds, and the defaults of
  /// ``CommaSeparatedReading``.
  ///
  /// ```swift
  /// let report = try await store.adopt(csv: "hats.csv", as: "Hat", key: "code")
  /// ```
  @discardableResult
  public func adopt(
    csv path: String,
    as type: EntityType,
    key: String? = nil,
    kinds: [String: FieldKind] = [:],
    _ options: AdoptionOptions = AdoptionOptions(),
    progress: @escaping (AdoptionProgress) throws -> Void = { _ in }
  ) async throws -> AdoptionReport {
    var reading = CommaSeparatedReading()
    reading.key = key
    for (heading, kind) in kinds { reading.kinds[PropertyKey(heading)] = kind }
    return try await adopt(csv: path, as: type, reading: reading, options, progress: progress)
  }

  /// Adopts a file of comma-separated values (RFC 4180) with a header, in one transaction.
  ///
  /// Each line becomes an entity, and each column a property. The file is read as a stream. Only
  /// differences are written: adopting it again writes nothing. An empty field that is not quoted
  /// has no value.
  ///
  /// - Parameters:
  ///   - path: the file. It is read twice, so a pipe is copied to a temporary file first.
  ///   - type: the type of the entities.
  ///   - reading: the separator, the key, the kinds of columns, and what stands for missing values.
  ///   - options: the author, the time, and whether entities of missing lines end.
  ///   - progress: called after each batch of lines. If it throws, nothing is written.
  /// - Returns: the report, with the columns and their kinds.
  /// - Throws: `VarveError`: `notFound` for the file, or a column that `reading` names;
  ///   `inputOutput`; `invalidArgument` with line and column for a malformed line, a line end
  ///   that is only a carriage return, no heading, a heading with other separators, a repeated
  ///   heading or key, a line without a key, or a field that is not of the given kind;
  ///   `invalidArgument` if a dated adoption would alter later states; and as
  ///   `write(as:author:message:at:_:)`.
  /// - Complexity: O(bytes + fields × log entities). The identifiers of all lines are kept in
  ///   memory.
  @discardableResult
  public func adopt(
    csv path: String,
    as type: EntityType,
    reading: CommaSeparatedReading,
    _ options: AdoptionOptions = AdoptionOptions(),
    progress: @escaping (AdoptionProgress) throws -> Void = { _ in }
  ) async throws -> AdoptionReport {
    let table = try CommaSeparatedTable(path, type, reading)
    var report = try await adopting(options) { transaction in
      let writer = try await EntityWriter(transaction)
      try await table.write(to: writer, options, progress)
      return writer.report
    }
    report.columns = table.columns
    return report
  }
}

/// The plan of an adoption of a file of comma-separated values.
///
/// ```swift
/// let plan = try CommaSeparatedPlan(csv: "hats.csv", as: "Hat", reading: reading)
/// for column in plan.columns { print(column.heading, column.kind) }
/// ```
public struct CommaSeparatedPlan: Hashable, Sendable {
  /// The type of the entities.
  public let type: EntityType
  /// The columns, in the file's order.
  public let columns: [CommaSeparatedColumn]
  /// The number of lines, without the heading.
  public let lineCount: Int

  /// Reads a file once.
  ///
  /// - Throws: `VarveError`: as an adoption, for what shows before a line is written.
  public init(csv path: String, as type: EntityType, reading: CommaSeparatedReading) throws {
    let table = try CommaSeparatedTable(path, type, reading)
    self.type = type
    columns = table.columns
    lineCount = table.rowCount
  }
}

public import VarveCore
public import VarveStore

extension Store {
  /// Adopts a file of comma-separated values (RFC 4180) with a header, in one transaction.
  ///
  /// Each line becomes an entity, and each column a property. The file is read as a stream. Only
  /// differences are written: adopting it again writes nothing. An empty field that is not quoted
  /// has no value.
  ///
  /// ```swift
  /// let report = try await store.adopt(csv: "hats.csv", as: "Hat", key: "code")
  /// ```
  ///
  /// - Parameters:
  ///   - path: the file. It is read twice, so a pipe is copied to a temporary file first.
  ///   - type: the type of the entities.
  ///   - key: the column that identifies a line. Identifiers derive from the texts of its fields,
  ///     whatever its kind. If nil, the line's number among the lines identifies it.
  ///   - kinds: the kinds of columns. By default, the key is text, and any other column has the
  ///     narrowest kind that all its fields fit.
  ///   - options: the author, the time, and whether entities of missing lines end.
  ///   - progress: called after each batch of lines. If it throws, nothing is written.
  /// - Returns: the report.
  /// - Throws: ``VarveError``: `notFound` for the file, the key or a column of `kinds`;
  ///   `inputOutput`; `invalidArgument` with line and column for a malformed line, a line end
  ///   that is only a carriage return, no heading, a repeated heading or key, a line without a key,
  ///   or a field that is not of the given kind; `invalidArgument` if a dated adoption would alter
  ///   later states; and as
  ///   `write(as:author:message:at:_:)`.
  /// - Complexity: O(bytes + fields × log entities). The identifiers of all lines are kept in
  ///   memory.
  @discardableResult
  public func adopt(
    csv path: String,
    as type: EntityType,
    key: String? = nil,
    kinds: [String: FieldKind] = [:],
    _ options: AdoptionOptions = AdoptionOptions(),
    progress: @escaping (AdoptionProgress) throws -> Void = { _ in }
  ) async throws -> AdoptionReport {
    let table = try CommaSeparatedTable(path, type, key: key, kinds: kinds)
    return try await adopting(options) { transaction in
      let writer = try await EntityWriter(transaction)
      try await table.write(to: writer, options, progress)
      return writer.report
    }
  }
}

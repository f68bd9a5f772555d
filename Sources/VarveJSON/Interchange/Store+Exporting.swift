import VarveCore
public import VarveStore

/// The outcome of writing a document.
public struct ExportReport: Hashable, Sendable {
  /// A value that an import of the document by the same mappings would change.
  public struct Diagnostic: Hashable, Sendable {
    /// The place, as a JSON pointer (RFC 6901): `/books/3/published`.
    public let pointer: String
    /// The reason.
    public let reason: String
  }

  /// The maximum number of listed diagnostics. All are counted.
  public static let listedCount = 1_000

  /// The number of records written: entities, or commits of a full document.
  public internal(set) var recordCount = 0
  /// The number of bytes written.
  public internal(set) var byteCount = 0
  /// The values that an import by the same mappings would change. Only documents by mappings have
  /// any.
  public internal(set) var diagnostics: [Diagnostic] = []
  /// The number of diagnostics.
  public internal(set) var diagnosticCount = 0

  mutating func note(_ pointer: String, _ reason: String) {
    diagnosticCount += 1
    guard diagnostics.count < Self.listedCount else { return }
    diagnostics.append(Diagnostic(pointer: pointer, reason: reason))
  }
}

/// The progress of writing a document.
public struct ExportProgress: Hashable, Sendable {
  /// The number of records written.
  public let recordCount: Int
  /// The total number of records, if known.
  public let totalRecordCount: Int?
}

extension Store {
  /// Writes an interchange document of the present state, or of the whole history.
  ///
  /// The document is written as a stream of one state. Memory use does not grow with its size, and
  /// writers do not wait, except those of a store in memory.
  ///
  /// ```swift
  /// var text: [UInt8] = []
  /// try await store.export(.normalized) { text += $0 }
  /// ```
  ///
  /// - Parameters:
  ///   - form: compact or normalized: the live entities, in creation order; full: the commits.
  ///   - progress: called after each record.
  ///   - write: called with the bytes, about 128 KiB at a time.
  /// - Returns: the amount written.
  /// - Throws: the errors of `write`; `VarveError` if the store cannot be read,
  ///   `nestedTransaction` for the full form inside a write of this store, `unsupported` for the full
  ///   form of a sealed space.
  /// - Complexity: O(values); full: O(bytes of the log).
  @discardableResult
  public func export(
    _ form: InterchangeForm,
    progress: (ExportProgress) -> Void = { _ in },
    to write: @escaping ([UInt8]) throws -> Void
  ) async throws -> ExportReport {
    guard form == .full else {
      return try await read { try await $0.export(form, progress: progress, to: write) }
    }
    try refuseInsideOwnWrite("export")
    guard try readableLog().sealing == nil else {
      throw VarveError.notInSealedSpace("an export of all commits")
    }
    var writer = DocumentWriter(write)
    var commits = CommitWriting()
    writer.json.raw("{\"form\":\"full\",\"version\":1,\"commits\":[")
    try await forEachCommitPart { part in
      try Task.checkCancellation()
      commits.write(part, to: &writer.json)
      try writer.flushIfFull()
      progress(ExportProgress(recordCount: commits.count, totalRecordCount: nil))
    }
    commits.end(&writer.json)
    writer.json.raw("\n]}\n")
    try writer.flush()
    return ExportReport(recordCount: commits.count, byteCount: writer.byteCount)
  }
}

extension Snapshot {
  /// Writes a compact or normalized document of the state. See ``Store/export(_:progress:to:)``.
  ///
  /// - Throws: as ``Store/export(_:progress:to:)``; `invalidArgument` for the full form, which has
  ///   the whole log and not one state.
  @discardableResult
  public func export(
    _ form: InterchangeForm,
    progress: (ExportProgress) -> Void = { _ in },
    to write: @escaping ([UInt8]) throws -> Void
  ) async throws -> ExportReport {
    guard form != .full else {
      throw VarveError(
        .invalidArgument,
        "the full form contains all commits, so it cannot show one state",
        remedy: "Export it from the store, or choose the compact or normalized form."
      )
    }
    let types = try await types()
    let total = types.reduce(0) { $0 + $1.count }
    var writer = DocumentWriter(write)
    var records = RecordWriting()
    var entities = try await EntitiesInOrder(self, types.map(\.type))
    var count = 0
    writer.json.raw("{\"entities\":[")
    while let entity = try await entities.next() {
      if count % 256 == 0 { try Task.checkCancellation() }
      writer.json.raw(count == 0 ? "\n" : ",\n")
      let times = form == .normalized ? try await times(of: entity) : nil
      records.write(entity, times: times, to: &writer.json)
      try writer.flushIfFull()
      count += 1
      progress(ExportProgress(recordCount: count, totalRecordCount: total))
    }
    writer.json.raw(count == 0 ? "]}\n" : "\n]}\n")
    try writer.flush()
    return ExportReport(recordCount: count, byteCount: writer.byteCount)
  }

  private func times(of entity: StoredEntity) async throws -> [PropertyKey: HybridTime] {
    try await reading { try await $0.reader.times(of: entity) }
  }
}

public import Foundation
import VarveCore
public import VarveStore

extension Store {
  /// Imports a foreign document by mappings in one transaction, completely or not at all.
  ///
  /// Objects are identified by a value, merged by policy, and related even to objects that arrive
  /// later. Only differences are written, so importing a document again writes nothing, and the
  /// store's history is that of the documents.
  ///
  /// The document is read as a stream. Memory use does not grow with the length of the arrays that
  /// the roots name. Diagnostics list values that could not be used; their properties do not
  /// change.
  ///
  /// If the store or the options have models for the entities, missing properties get their
  /// defaults, and `createdAt` and `updatedAt` are set as by saving unless the mapping gives them.
  /// Diagnostics list violated rules, or the import is refused (``ImportOptions/rules``).
  ///
  /// ```swift
  /// let report = try await store.import(DocumentSource(file: "books.json"), by: mappings)
  /// print(report.createdCount, report.changedCount, report.unchangedCount)
  /// ```
  ///
  /// - Parameters:
  ///   - document: the source of the bytes, which is read while the transaction is open.
  ///   - mappings: the mappings of objects to entities.
  ///   - options: the mapped parts, the author, the time, and whether it is a dry run.
  ///   - reporting: receives the progress, and can cancel the import.
  ///   - progress: called at the beginning, after each top-level object, and after the commit. If
  ///     it throws before the commit, the import is rolled back.
  /// - Returns: the report of the import.
  /// - Throws: `VarveError`: `invalidMapping`, `notFound` for unknown mappings;
  ///   `noIdentificationAttribute` for an identifying value if the mapping declares none;
  ///   `invalidJSON` with its place; `validationFailed`; `cancelled`; and as
  ///   `Store.write`.
  /// - Complexity: O(bytes + values × log entities), and a pass over all entities if a relation
  ///   with the policy `replace` has former targets.
  @discardableResult
  public func `import`(
    _ document: DocumentSource,
    by mappings: Mappings,
    _ options: ImportOptions = ImportOptions(),
    reporting: Progress? = nil,
    progress: @escaping (ImportProgress) throws -> Void = { _ in }
  ) async throws -> ImportReport {
    let roots = try mappings.roots(options)
    let source = try StreamSource(document, roots)
    return try await run(source, roots, mappings, options, reporting, progress)
  }

  /// Imports a document in memory. See
  /// ``import(_:by:_:reporting:progress:)-(DocumentSource,_,_,_,_)``.
  @discardableResult
  public func `import`(
    _ document: JSON,
    by mappings: Mappings,
    _ options: ImportOptions = ImportOptions(),
    reporting: Progress? = nil,
    progress: @escaping (ImportProgress) throws -> Void = { _ in }
  ) async throws -> ImportReport {
    let roots = try mappings.roots(options)
    let source = try ValueSource(document, roots)
    return try await run(source, roots, mappings, options, reporting, progress)
  }

  private func run(
    _ source: some ImportSource,
    _ roots: [Mappings.Root],
    _ mappings: Mappings,
    _ options: ImportOptions,
    _ reporting: Progress?,
    _ progress: @escaping (ImportProgress) throws -> Void
  ) async throws -> ImportReport {
    let compiled = try CompiledMappings(mappings, options.policies)
    let steps = ImportSteps(source, reporting, progress)
    do {
      var (report, commit) = try await self.commit(
        as: .import,
        author: options.author,
        message: options.message,
        at: options.time
      ) { transaction in
        let rules = self.rules(and: options.models)
        let run = try await ImportRun(transaction, compiled, rules, options)
        try await run.take(source, roots, steps)
        try await run.finish()
        try steps.check()
        if run.report.hasChanges { run.report.notes = mappings.notes }
        if options.isDryRun { throw DryRun(report: run.report) }
        return run.report
      }
      report.commit = commit
      steps.finish()
      return report
    } catch let dryRun as DryRun {
      steps.finish()
      return dryRun.report
    }
  }
}

/// The error that ends a dry run, so that it is rolled back.
private struct DryRun: Error {
  let report: ImportReport
}

extension ImportReport {
  /// Whether the import changes an entity.
  fileprivate var hasChanges: Bool { createdCount + changedCount + endedCount + stubCount > 0 }
}

extension Mappings {
  /// Returns the mapped parts of a document.
  fileprivate func roots(_ options: ImportOptions) throws -> [Root] {
    let roots = options.roots.isEmpty ? roots : options.roots
    guard !roots.isEmpty else {
      throw VarveError(
        .invalidMapping,
        "no mapping for the document is given",
        at: "/roots",
        remedy: "Name a mapping, or give the mappings roots."
      )
    }
    for root in roots { _ = try require(root.mapping) }
    try validate(roots, at: "/roots")
    return roots
  }
}

extension ImportRun {
  /// Imports the parts that the roots name.
  fileprivate func take(
    _ source: some ImportSource,
    _ roots: [Mappings.Root],
    _ steps: ImportSteps
  ) async throws {
    try steps.advance()
    var there: Set<Mappings.Root> = []
    let reader = PartReader(isFiltered: identities.isFiltered)
    var reading: Task<DraftedPart, any Error>?
    var done: DraftedPart?
    func takeRead() async throws {
      guard let part = try await reading?.value else { return }
      reading = nil
      try await take(part) { try steps.advance() }
      done = part
    }
    do {
      try await source.forEachPiece { root in
        there.insert(root)
        if let mapping = mappings[root.mapping] { completion.cover(mapping) }
      } _: { piece, root in
        guard let mapping = mappings[root.mapping] else { return }
        // The next part is read while one is written.
        let part = try await reading?.value
        reading = reader.begin(piece, mapping, releasing: done)
        done = nil
        if let part {
          try await take(part) { try steps.advance() }
          done = part
        }
      }
      try await takeRead()
    } catch {
      _ = await reading?.result
      throw error
    }
    for root in roots where !there.contains(root) {
      report.note(root.pointer, "the document has nothing here")
      if let mapping = mappings[root.mapping] { completion.lack(mapping) }
    }
  }
}

/// The progress of an import, for all its observers.
private final class ImportSteps {
  private let source: any ImportSource
  private let reporting: Progress?
  private let progress: (ImportProgress) throws -> Void
  private let totalCount: Int?
  private var completedCount = 0

  init(
    _ source: any ImportSource,
    _ reporting: Progress?,
    _ progress: @escaping (ImportProgress) throws -> Void
  ) {
    self.source = source
    self.reporting = reporting
    self.progress = progress
    totalCount = source.objectCount.map { $0 + 2 }
    reporting?.totalUnitCount = Int64(totalCount ?? -1)
  }

  /// Throws if the import was cancelled.
  func check() throws {
    guard reporting?.isCancelled == true else { return }
    throw VarveError(.cancelled, "the import was cancelled")
  }

  func advance() throws {
    try check()
    completedCount += 1
    reporting?.completedUnitCount = Int64(completedCount)
    try progress(now(totalCount))
  }

  /// Reports the last step: everything is written, and can no longer be cancelled.
  func finish() {
    completedCount += 1
    reporting?.totalUnitCount = Int64(completedCount)
    reporting?.completedUnitCount = Int64(completedCount)
    try? progress(now(completedCount))
  }

  private func now(_ totalCount: Int?) -> ImportProgress {
    ImportProgress(
      completedCount: completedCount,
      totalCount: totalCount,
      byteCount: source.byteCount,
      totalByteCount: source.totalByteCount
    )
  }
}

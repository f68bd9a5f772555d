public import Foundation
import VarveCore
public import VarveStore

extension Store {
  /// Takes a document of somebody else's over, by mappings: one transaction, or nothing of it.
  ///
  /// Objects are found by their identifying value, merged by policy, and related even before what
  /// they name arrives. Only what differs is written, so importing a document again writes nothing,
  /// and the store's history is that of the documents.
  ///
  /// The document is read as a stream: memory stays flat, whatever the length of the arrays that the
  /// roots name. Diagnostics tell of values that could not be used; what they belong to stays as it
  /// was.
  ///
  /// Of entities whose models the store or the options name, missing properties get their defaults,
  /// `createdAt` and `updatedAt` are set as by saving unless the mapping gives them, and diagnostics
  /// tell of rules that are broken, or the import is refused (``ImportOptions/rules``).
  ///
  /// ```swift
  /// let report = try await store.import(DocumentSource(file: "books.json"), by: mappings)
  /// print(report.createdCount, report.changedCount, report.unchangedCount)
  /// ```
  ///
  /// - Parameters:
  ///   - document: where its bytes come from. Read while the transaction is open.
  ///   - mappings: what objects become.
  ///   - options: what of the document, by whom, since when, or only for a try.
  ///   - reporting: what is told how far it is, and asked whether somebody cancelled.
  ///   - progress: told after the beginning, after each top-level object, and after the commit. What
  ///     it throws before that ends the import without a trace.
  /// - Returns: what was done.
  /// - Throws: ``VarveError``: `invalidMapping`, `notFound` for mappings that are not there;
  ///   `noIdentificationAttribute` for an identifying value where the mapping declares none;
  ///   `invalidJSON` with its place; `validationFailed`; `cancelled`; and as ``Store/write(as:author:message:at:_:)``.
  /// - Complexity: O(bytes + values × log entities), and a pass over all entities where a relation
  ///   with the policy replace gave something up.
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

  /// Takes a document in memory over. See ``import(_:by:_:reporting:progress:)-(DocumentSource,_,_,_,_)``.
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

/// Thrown at the end of a dry run, so that nothing of it stays.
private struct DryRun: Error {
  let report: ImportReport
}

extension Mappings {
  /// What of a document is mapped.
  fileprivate func roots(_ options: ImportOptions) throws -> [Root] {
    let roots = options.roots.isEmpty ? roots : options.roots
    guard !roots.isEmpty else {
      throw VarveError(
        .invalidMapping,
        "nothing says what of the document is mapped",
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
  /// Takes over what the roots name.
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
        // While one part is written, the next is read.
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
    for root in roots where !there.contains(root) && !root.pointer.isEmpty {
      report.note(root.pointer, "the document has nothing here")
      if let mapping = mappings[root.mapping] { completion.lack(mapping) }
    }
  }
}

/// How far an import is, for all who want to know.
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

  /// Throws where somebody cancelled.
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

  /// The last step: everything is written, and cannot be stopped any more.
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

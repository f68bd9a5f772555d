public import VarveStore

/// An import in a task of its own: a sequence of how far it is, and the report at its end.
///
/// ```swift
/// let run = store.importing(DocumentSource(text: text), by: mappings)
/// for await step in run { print(step.completedCount) }
/// let report = try await run.report
/// ```
///
/// Who does not keep up is told the newest steps. The sequence is for one iteration, and ends with the
/// import; giving it up does not end the import, ``cancel()`` does.
public struct RunningImport: AsyncSequence, Sendable {
  /// How far the import is.
  public typealias Element = ImportProgress

  /// How many steps wait for whoever iterates.
  private static let waitingCount = 256

  private let steps: AsyncStream<ImportProgress>
  private let task: Task<ImportReport, any Error>

  fileprivate init(
    _ work: sending @escaping (@escaping (ImportProgress) -> Void) async throws -> ImportReport
  ) {
    let (steps, continuation) = AsyncStream.makeStream(
      of: ImportProgress.self,
      bufferingPolicy: .bufferingNewest(Self.waitingCount)
    )
    self.steps = steps
    task = Task {
      defer { continuation.finish() }
      return try await work { continuation.yield($0) }
    }
  }

  /// The steps from now on.
  public func makeAsyncIterator() -> AsyncStream<ImportProgress>.Iterator {
    steps.makeAsyncIterator()
  }

  /// What the import did.
  ///
  /// - Throws: as `Store.import`; `CancellationError` where it was cancelled.
  public var report: ImportReport { get async throws { try await task.value } }

  /// Ends the import without a trace, unless it is done.
  public func cancel() { task.cancel() }
}

extension Store {
  /// Imports a document in a task of its own. See `import(_:by:_:reporting:progress:)`.
  public func importing(
    _ document: sending DocumentSource,
    by mappings: Mappings,
    _ options: ImportOptions = ImportOptions()
  ) -> RunningImport {
    RunningImport { [self] tell in
      try await self.import(document, by: mappings, options) { tell($0) }
    }
  }
}

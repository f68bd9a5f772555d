public import VarveStore

/// An import in a task of its own: a sequence of its progress, and finally its report.
///
/// ```swift
/// let run = store.importing(DocumentSource(text: text), by: mappings)
/// for await step in run { print(step.completedCount) }
/// let report = try await run.report
/// ```
///
/// A slow consumer receives the newest steps. The sequence can be iterated once, and ends with the
/// import. Abandoning the iteration does not end the import; ``cancel()`` does.
public struct RunningImport: AsyncSequence, Sendable {
  /// The progress of the import.
  public typealias Element = ImportProgress

  /// The number of steps that are buffered.
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

  /// Returns an iterator over the steps from now on.
  public func makeAsyncIterator() -> AsyncStream<ImportProgress>.Iterator {
    steps.makeAsyncIterator()
  }

  /// The report of the finished import.
  ///
  /// - Throws: as `Store.import`; `CancellationError` if the import was cancelled.
  public var report: ImportReport { get async throws { try await task.value } }

  /// Cancels the import without a trace, unless it has finished.
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

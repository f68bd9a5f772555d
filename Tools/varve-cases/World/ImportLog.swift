import Synchronization
import VarveCore
import VarveJSON

/// Records the progress of an import, and cancels it after a number of objects.
final class ImportLog: Sendable {
  private let steps = Mutex<[JSON]>([])
  private let cancelAfter: Int?

  init(cancelAfter: Int?) { self.cancelAfter = cancelAfter }

  /// `[completed, total]`, step by step.
  var entries: [JSON] { steps.withLock { $0 } }

  @Sendable func step(_ progress: ImportProgress) throws {
    let total = progress.totalCount.map(JSON.count) ?? .null
    steps.withLock { $0.append([.count(progress.completedCount), total]) }
    guard let cancelAfter, progress.completedCount > cancelAfter else { return }
    throw VarveError(.cancelled, "the import was cancelled")
  }
}

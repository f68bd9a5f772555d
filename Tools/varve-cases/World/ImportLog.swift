import Synchronization
import VarveCore
import VarveJSON

/// Writes down how far an import is, and cancels it after so many objects.
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

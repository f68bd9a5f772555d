import Foundation
import VarveCore
import VarveStore

/// `check`: verifies the log and the tables derived from it.
struct CheckOperation: StoreOperation {
  static let name = "check"

  init(_ fields: inout Fields) throws {}

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    try await store.check().json(store.commitsAhead())
  }
}

/// `rebuild`: derives the tables from the log again.
struct RebuildOperation: StoreOperation {
  static let name = "rebuild"

  init(_ fields: inout Fields) throws {}

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    try await store.rebuild()
    return ["rebuilt": true]
  }
}

/// `merge`: merges the commits of the store in another file.
struct MergeOperation: StoreOperation {
  static let name = "merge"
  private let file: String

  init(_ fields: inout Fields) throws { file = try fields.need("from").string() }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    configuration.isReadOnly = true
    let other = try await Store.open(file, configuration: configuration)
    do {
      let report = try await store.merge(from: other)
      try await other.close()
      return report.json
    } catch {
      try? await other.close()
      throw error
    }
  }
}

/// `conflicts`: returns the properties that replicas wrote concurrently and that no later write
/// resolved; of a past state with `asOf`.
struct ConflictsOperation: StoreOperation {
  static let name = "conflicts"
  private let moment: MomentName

  init(_ fields: inout Fields) throws { moment = try fields.take("asOf")?.moment() ?? .now }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    .array(try await store.asOf(moment.moment(in: store)).conflicts().map(\.json))
  }
}

/// `stats`: returns how much the store contains, and its size; of a past state with `asOf`, without
/// the size.
struct StatsOperation: StoreOperation {
  static let name = "stats"
  private let moment: MomentName

  init(_ fields: inout Fields) throws { moment = try fields.take("asOf")?.moment() ?? .now }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    try await Statistics(of: store, at: moment.moment(in: store)).json
  }
}

import Foundation
import VarveCore
import VarveStore

/// `diff`: returns the difference between two states, each a date, a commit or a frontier; the
/// second is the present by default.
struct DiffOperation: StoreOperation {
  static let name = "diff"
  private let old: MomentName
  private let new: MomentName

  init(_ fields: inout Fields) throws {
    old = try fields.need("from").moment()
    new = try fields.take("to")?.moment() ?? .now
  }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    let (old, new) = (try await old.moment(in: store), try await new.moment(in: store))
    return try await store.diff(from: old, to: new).json
  }
}

/// `commit`: returns a commit, named by its hash or the first digits of it, with what its author
/// had seen and what it changed.
struct CommitOperation: StoreOperation {
  static let name = "commit"
  private let commit: String
  private let limit: Int

  init(_ fields: inout Fields) throws {
    commit = try fields.need("commit").string()
    limit = try fields.take("limit")?.count() ?? .max
  }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    let id = try await store.commit(named: commit).id
    return try await store.changes(by: id).json(limit: limit)
  }
}

/// `undo`: undoes a commit, named by its hash or the first digits of it; with `dryRun`, returns
/// what that would do.
struct UndoOperation: StoreOperation {
  static let name = "undo"
  static let isSigned = true
  private let commit: String
  private let isDryRun: Bool

  init(_ fields: inout Fields) throws {
    commit = try fields.need("commit").string()
    isDryRun = try fields.flag("dryRun")
  }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    let id = try await store.commit(named: commit).id
    if isDryRun { return try await store.previewUndo(id).json }
    return try await store.undo(id, author: signature.author, message: signature.message).json
  }
}

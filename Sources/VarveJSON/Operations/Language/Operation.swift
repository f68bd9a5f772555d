import Foundation
import VarveCore
import VarveStore

/// An operation, read from its object and ready to run.
enum Operation {
  /// One that reads a state.
  case reading(any ReadingOperation)
  /// One that writes; several make one commit.
  case writing(any WritingOperation)
  /// One that concerns the store as a whole, and stands alone.
  case whole(any StoreOperation)
  /// One that maps documents, and stands alone.
  case mapping(any MappingOperation)
}

/// What every operation has: a name, and a way to be read.
protocol NamedOperation: Sendable {
  /// What stands in `op`.
  static var name: String { get }

  /// Takes the operation's own fields.
  init(_ fields: inout Fields) throws
}

/// An operation that reads a state.
protocol ReadingOperation: NamedOperation {
  /// Its result.
  func read(_ state: any Reading) async throws -> JSON
}

/// An operation that writes.
protocol WritingOperation: NamedOperation {
  /// Its result.
  ///
  /// - Parameter time: when what it writes holds from, if not from the time of the commit.
  func write(_ transaction: Transaction, at time: Date?) async throws -> JSON
}

/// An operation on a store as a whole.
protocol StoreOperation: NamedOperation {
  /// Its result.
  func run(_ store: Store, _ signature: Signature) async throws -> JSON
}

/// Who writes and why.
struct Signature: Sendable {
  var author = ""
  var message = ""
}

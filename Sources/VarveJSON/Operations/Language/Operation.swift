import Foundation
import VarveCore
import VarveStore

/// An operation, parsed and ready to run.
enum Operation {
  /// An operation that reads a state.
  case reading(any ReadingOperation)
  /// An operation that writes; several can be one commit.
  case writing(any WritingOperation)
  /// An operation on the store as a whole, which cannot be part of a transaction.
  case whole(any StoreOperation)
  /// An operation that maps documents, and cannot be part of a transaction.
  case mapping(any MappingOperation)
}

/// The requirements of every operation: a name, and an initialiser that parses it.
protocol NamedOperation: Sendable {
  /// The value of `op`.
  static var name: String { get }

  /// Reads the operation's own fields.
  init(_ fields: inout Fields) throws
}

/// An operation that reads a state.
protocol ReadingOperation: NamedOperation {
  /// Returns its result.
  func read(_ state: any Reading) async throws -> JSON
}

/// An operation that writes.
protocol WritingOperation: NamedOperation {
  /// Whether the operation may have its own date in a transaction; otherwise the date of the
  /// transaction applies.
  static var isDatedAlone: Bool { get }
  /// Its name, and the names of the operations in it that write.
  var names: [String] { get }

  /// Returns its result.
  ///
  /// - Parameter time: the time from which the written data holds; nil for the time of the commit.
  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON

  /// Returns what of a result is kept for a repeated request: identifiers, numbers and outcomes,
  /// but nothing of a property, which a purge of its entity would not find there.
  func kept(_ result: JSON) -> JSON

  /// Returns the result of a repeated request: what was kept, and what is read again.
  func repeated(_ kept: JSON, in state: any Reading) async -> JSON
}

extension WritingOperation {
  func kept(_ result: JSON) -> JSON { result }
  func repeated(_ kept: JSON, in state: any Reading) async -> JSON { kept }
  static var isDatedAlone: Bool { true }
  var names: [String] { [Self.name] }
}

/// An operation on a store as a whole.
protocol StoreOperation: NamedOperation {
  /// Whether the operation makes a commit of its own, which has an author and a message.
  static var isSigned: Bool { get }

  /// Returns its result.
  func run(_ store: Store, _ signature: Signature) async throws -> JSON
}

extension StoreOperation {
  static var isSigned: Bool { false }
}

/// The author and the message of a commit.
struct Signature: Sendable {
  var author: String?
  var message: String?
}

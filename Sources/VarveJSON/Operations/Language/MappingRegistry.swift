import Synchronization
import VarveCore
import VarveStore

/// The mappings that operations may name, during the lifetime of their runner.
final class MappingRegistry: Sendable {
  private let mappings: Mutex<Mappings>

  init(_ mappings: Mappings) { self.mappings = Mutex(mappings) }

  /// All current mappings.
  var present: Mappings { mappings.withLock { $0 } }

  /// Adds mappings; they replace those with the same names.
  func add(_ others: Mappings) { mappings.withLock { $0.add(others) } }
}

/// The context of an operation that maps documents.
struct MappingContext: Sendable {
  let registry: MappingRegistry
  let signature: Signature
  /// Called with the progress of an import.
  let progress: @Sendable (ImportProgress) throws -> Void
}

/// An operation that maps documents, and cannot be part of a transaction.
protocol MappingOperation: NamedOperation {
  /// Whether it makes a commit, which has an author and a message.
  static var isSigned: Bool { get }

  /// Returns its result.
  func run(_ store: Store, _ context: MappingContext) async throws -> JSON
}

extension MappingOperation {
  static var isSigned: Bool { false }
}

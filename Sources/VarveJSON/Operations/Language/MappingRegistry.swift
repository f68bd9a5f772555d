import Synchronization
import VarveCore
import VarveStore

/// The mappings that operations may name, as long as their runner is used.
final class MappingRegistry: Sendable {
  private let mappings: Mutex<Mappings>

  init(_ mappings: Mappings) { self.mappings = Mutex(mappings) }

  /// All there are now.
  var present: Mappings { mappings.withLock { $0 } }

  /// Adds mappings; they take the place of those of the same names.
  func add(_ others: Mappings) { mappings.withLock { $0.add(others) } }
}

/// What an operation that maps documents gets beside the store.
struct MappingContext: Sendable {
  let registry: MappingRegistry
  let signature: Signature
  /// Told how far an import is.
  let progress: @Sendable (ImportProgress) throws -> Void
}

/// An operation that maps documents, and stands alone.
protocol MappingOperation: NamedOperation {
  /// Its result.
  func run(_ store: Store, _ context: MappingContext) async throws -> JSON
}

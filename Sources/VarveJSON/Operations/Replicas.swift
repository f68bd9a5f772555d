import VarveCore
import VarveStore

/// `replicas`: returns the replicas that have written to the store, and their states.
struct ReplicasOperation: StoreOperation {
  static let name = "replicas"

  init(_ fields: inout Fields) throws {}

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    .array(try await store.replicas().map(\.json))
  }
}

/// `retire`: records that a replica will not write again.
struct RetireOperation: StoreOperation {
  static let name = "retire"
  static let isSigned = true
  private let replica: ReplicaID

  init(_ fields: inout Fields) throws {
    let named = try fields.need("replica")
    guard let replica = ReplicaID(try named.string()) else { throw named.misfit("a UUID") }
    self.replica = replica
  }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    try await store.retire(replica, author: signature.author, message: signature.message)
    return .null
  }
}

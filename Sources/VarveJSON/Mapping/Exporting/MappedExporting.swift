public import VarveCore
public import VarveStore

extension Reading {
  /// Returns entities as the objects that a mapping describes, in the given order.
  ///
  /// Every attribute is written, as null if it has no value, and every included relation, as null
  /// if it was never set. A relation by identifying values is written as these values. A target
  /// that was written before in the same call is reduced to its identifying value, which ends
  /// cycles. A value that JSON cannot represent, or a transform cannot reverse, is omitted. If
  /// several lines of the mapping read one path, the first value that all of them read correctly is
  /// written.
  ///
  /// ```swift
  /// let books = try await store.objects(of: ids, as: "Book", by: mappings) { $0 != "reviews" }
  /// ```
  ///
  /// - Parameters:
  ///   - ids: the entities; those that are not live are omitted.
  ///   - name: the name of their mapping.
  ///   - mappings: the mappings of entities.
  ///   - isWanted: returns whether the relation with a JSON key is written; called at every depth.
  /// - Throws: `VarveError`: `notFound` for an unknown mapping; `invalidArgument` for entities
  ///   nested too deep.
  public func objects(
    of ids: [EntityID],
    as name: String,
    by mappings: Mappings,
    including isWanted: @escaping @Sendable (String) -> Bool = { _ in true }
  ) async throws -> [JSON] {
    var writing = try ObjectWriting(self, mappings, isWanted)
    let mapping = try writing.mapping(name)
    var objects: [JSON] = []
    var size = ReplySize()
    for id in ids {
      try Task.checkCancellation()
      guard let entity = try await entity(id) else { continue }
      let object = try await writing.object(entity, mapping, depth: 1).json
      try size.add(object)
      objects.append(object)
    }
    return objects
  }
}

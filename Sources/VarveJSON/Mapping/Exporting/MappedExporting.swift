public import VarveCore
public import VarveStore

extension Reading {
  /// Entities as the objects a mapping describes, in the order asked.
  ///
  /// Every attribute is written, null where it has no value, and every relation that is wanted: null
  /// where it was never set. A relation by identifying values is written so. A target that was written
  /// before in the same call shrinks to its identifying value: so cycles end. What JSON cannot say, or
  /// a transform cannot take back, is left out. Of a path that several lines read, the first value
  /// that all of them read right is written.
  ///
  /// ```swift
  /// let books = try await store.objects(of: ids, as: "Book", by: mappings) { $0 != "reviews" }
  /// ```
  ///
  /// - Parameters:
  ///   - ids: the entities; those that are not live are left out.
  ///   - name: the name of their mapping.
  ///   - mappings: what entities become.
  ///   - isWanted: whether the relation of a JSON key is written; asked at every depth.
  /// - Throws: ``VarveError``: `notFound` for a mapping that is not there; `invalidArgument` for
  ///   entities nested too deep.
  public func objects(
    of ids: [EntityID],
    as name: String,
    by mappings: Mappings,
    including isWanted: @escaping @Sendable (String) -> Bool = { _ in true }
  ) async throws -> [JSON] {
    var writing = try ObjectWriting(self, mappings, isWanted)
    let mapping = try writing.mapping(name)
    var objects: [JSON] = []
    for id in ids {
      try Task.checkCancellation()
      guard let entity = try await entity(id) else { continue }
      objects.append(try await writing.object(entity, mapping, depth: 1).json)
    }
    return objects
  }
}

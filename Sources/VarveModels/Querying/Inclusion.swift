import VarveCore
import VarveEntities

/// A relation that a query of models loads.
struct Inclusion<Model: Persistable>: Sendable {
  let content: LoadedContent
  let load: @Sendable (inout [Model], StateReader) async throws -> Void
}

/// What a query of models fetches: two queries with equal contents fetch the same.
struct LoadedContent: Hashable, Sendable {
  /// The property whose relation is loaded; empty for the query itself.
  let property: String
  let query: Query
  /// The relations that are loaded in turn, in their order.
  let along: [LoadedContent]

  init<Target: Persistable>(of property: String = "", _ targets: TypedQuery<Target>) {
    self.property = property
    query = targets.untyped
    along = targets.inclusions.map(\.content)
  }
}

/// Two queries are equal if they fetch the same models and load the same relations.
extension TypedQuery: Hashable {
  /// Returns whether both fetch the same models and load the same relations.
  public static func == (left: TypedQuery, right: TypedQuery) -> Bool {
    LoadedContent(left) == LoadedContent(right)
  }

  /// Hashes what the query fetches and loads.
  public func hash(into hasher: inout Hasher) { hasher.combine(LoadedContent(self)) }
}

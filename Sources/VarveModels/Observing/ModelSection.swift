/// The models of a query that share the value of a property.
public struct ModelSection<Key: Hashable & Sendable, Model: Persistable>: Identifiable, Sendable {
  /// The shared value.
  public let key: Key
  /// The loaded models, in the query's order.
  public let models: [Model]
  /// The number of all models of the section, loaded or not.
  public let count: Int

  /// The shared value, by which lists tell sections apart.
  public var id: Key { key }
}

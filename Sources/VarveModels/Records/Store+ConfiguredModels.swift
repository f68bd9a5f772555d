public import VarveEntities

extension Store.Configuration {
  private enum ModelsKey: ConfigurationKey {
    static var defaultValue: [any Persistable.Type] { [] }
  }

  /// The models whose rules also apply to imports and loaded documents. Saving a model always
  /// applies its rules.
  public var models: [any Persistable.Type] {
    get { self[ModelsKey.self] }
    set { self[ModelsKey.self] = newValue }
  }
}

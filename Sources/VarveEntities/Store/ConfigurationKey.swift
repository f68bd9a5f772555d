/// The key of an option that another module adds to the options for opening a store.
package protocol ConfigurationKey {
  /// The type of the option.
  associatedtype Value: Sendable
  /// The option of a configuration that does not set it.
  static var defaultValue: Value { get }
}

extension Store.Configuration {
  /// An option that another module adds.
  package subscript<Key: ConfigurationKey>(key: Key.Type) -> Key.Value {
    get { added[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { added[ObjectIdentifier(key)] = newValue }
  }
}

package import VarveCore

/// The option that is what seals the space of a store. VarveSealed sets it.
package enum SealingOption: ConfigurationKey {
  package static let defaultValue: (any SpaceSealing)? = nil
}

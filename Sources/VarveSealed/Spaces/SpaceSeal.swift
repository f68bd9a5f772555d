import VarveCore
public import VarveEntities

/// How a store takes part in a sealed space.
///
/// ```swift
/// var configuration = Store.Configuration()
/// configuration.seal = try .member(with: .folder("keys"))
/// let store = try await Store.open("team.varve", configuration: configuration)
/// let recoveryKey = try await store.sealSpace()
/// ```
public struct SpaceSeal: Sendable {
  package let sealing: DeviceSealing

  package init(_ sealing: DeviceSealing) { self.sealing = sealing }

  /// A device that reads the space, and writes to it if it may. Its keys are made if there are none.
  ///
  /// - Throws: `VarveError`: `inputOutput` or `damaged` if the secrets cannot be read.
  public static func member(with keys: DeviceKeys) throws -> SpaceSeal {
    SpaceSeal(try DeviceSealing(keys.store))
  }

  /// A store that keeps a sealed space for others and reads nothing of it. An empty one takes the space
  /// of the first member with whom it synchronises, and is the home of its membership from then on.
  public static func relay() throws -> SpaceSeal { SpaceSeal(try DeviceSealing(nil)) }
}

extension Store.Configuration {
  /// How the store takes part in a sealed space; nil for a store of an open one.
  ///
  /// A store with a seal writes only once its space is sealed or joined, and synchronises only with
  /// stores that have one. A store whose space is sealed cannot be opened without.
  public var seal: SpaceSeal? {
    get { (self[SealingOption.self] as? DeviceSealing).map(SpaceSeal.init) }
    set { self[SealingOption.self] = newValue?.sealing }
  }
}

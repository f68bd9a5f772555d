#if !Client && !canImport(Darwin)
// Placeholders where the trait is off: the compiler's message names the trait.
/// Needs the trait `Client`: `.package(url: …, traits: ["Client"])`.
@available(*, unavailable, message: "VarveClient needs the trait Client of the package varve.")
public enum RemoteSpace {}

/// Needs the trait `Client`: `.package(url: …, traits: ["Client"])`.
@available(*, unavailable, message: "VarveClient needs the trait Client of the package varve.")
public enum RemoteServer {}

/// Needs the trait `Client`: `.package(url: …, traits: ["Client"])`.
@available(*, unavailable, message: "VarveClient needs the trait Client of the package varve.")
public enum Replicator {}
#endif

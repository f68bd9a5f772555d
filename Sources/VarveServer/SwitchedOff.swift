#if !Server
// Placeholders where the trait is off: the compiler's message names the trait.
/// Needs the trait `Server`: `.package(url: …, traits: ["Server"])`.
@available(*, unavailable, message: "VarveServer needs the trait Server of the package varve.")
public enum VarveServer {}

/// Needs the trait `Server`: `.package(url: …, traits: ["Server"])`.
@available(*, unavailable, message: "VarveServer needs the trait Server of the package varve.")
public enum VarveRoutes {}

/// Needs the trait `Server`: `.package(url: …, traits: ["Server"])`.
@available(*, unavailable, message: "VarveServer needs the trait Server of the package varve.")
public enum SpaceDirectory {}

/// Needs the trait `Server`: `.package(url: …, traits: ["Server"])`.
@available(*, unavailable, message: "VarveServer needs the trait Server of the package varve.")
public enum Inspector {}
#endif

/// A relation of one model to many others: untouched, or named, or loaded.
///
/// A model that was read has not loaded its relations; ``TypedQuery/with(_:)`` loads them, one query
/// for all rows. Saving leaves a relation as it is, loaded or not, until something is assigned: `[]`,
/// identifiers or models say what it shall hold. What is assigned must be saved before.
///
/// ```swift
/// shop.hats = [red, blue]
/// shop.hats = Many((shop.hats.loaded ?? []) + [green])
/// try await store.save(shop)
/// ```
public struct Many<Target: Persistable>: Sendable {
  private enum State: Sendable {
    case untouched
    case named([Identifier<Target>])
    case assigned([Target])
    case loaded([Target])
  }

  private let state: State

  /// What the store holds, or some of it: saving does not write it back.
  init(loaded targets: [Target]) { state = .loaded(targets) }

  /// A relation nothing is known of; saving leaves it as it is.
  public init() { state = .untouched }

  /// A relation to these.
  public init(_ targets: some Sequence<Target>) { state = .assigned(Array(targets)) }

  /// A relation to these.
  public init(ids: some Sequence<Identifier<Target>>) { state = .named(Array(ids)) }

  /// What it holds, where that was loaded or assigned.
  public var loaded: [Target]? {
    switch state {
    case .assigned(let targets), .loaded(let targets): targets
    case .untouched, .named: nil
    }
  }

  /// Whom it shall name once it is saved; nil where nothing was assigned.
  var assignedIDs: [Identifier<Target>]? {
    if case .loaded = state { nil } else { ids }
  }

  /// Whom it names, where that is known.
  public var ids: [Identifier<Target>]? {
    switch state {
    case .untouched: nil
    case .named(let ids): ids
    case .assigned(let targets), .loaded(let targets): targets.map(\.id)
    }
  }
}

extension Many: Hashable {
  /// Equality of whom they name.
  public static func == (left: Many, right: Many) -> Bool { left.ids == right.ids }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(ids) }
}

extension Many: ExpressibleByArrayLiteral {
  /// A relation to these.
  public init(arrayLiteral elements: Target...) { self.init(elements) }
}

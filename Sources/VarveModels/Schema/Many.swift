/// A relation of one model to many others: not loaded, loaded or assigned.
///
/// A fetched model has not loaded its relations; `with(_:)` loads them with one query
/// for all rows. Saving a model changes a relation only if something was assigned to it: `[]`,
/// identifiers or models. Assigned targets must be saved first.
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

  /// Creates a relation with targets loaded from the store, possibly not all of them. Saving does
  /// not write them back.
  init(loaded targets: [Target]) { state = .loaded(targets) }

  /// Creates a relation that is not loaded. Saving leaves it unchanged.
  public init() { state = .untouched }

  /// Creates a relation to models.
  public init(_ targets: some Sequence<Target>) { state = .assigned(Array(targets)) }

  /// Creates a relation to the entities with these identifiers.
  public init(ids: some Sequence<Identifier<Target>>) { state = .named(Array(ids)) }

  /// The targets, if they were loaded or assigned; otherwise nil.
  public var loaded: [Target]? {
    switch state {
    case .assigned(let targets), .loaded(let targets): targets
    case .untouched, .named: nil
    }
  }

  /// The identifiers to save; nil if nothing was assigned.
  var assignedIDs: [Identifier<Target>]? {
    if case .loaded = state { nil } else { ids }
  }

  /// The identifiers of the targets, if they are known; otherwise nil.
  public var ids: [Identifier<Target>]? {
    switch state {
    case .untouched: nil
    case .named(let ids): ids
    case .assigned(let targets), .loaded(let targets): targets.map(\.id)
    }
  }
}

extension Many: Hashable {
  /// Returns whether both relations have the same identifiers.
  public static func == (left: Many, right: Many) -> Bool { left.ids == right.ids }

  /// Hashes the identifiers.
  public func hash(into hasher: inout Hasher) { hasher.combine(ids) }
}

extension Many: ExpressibleByArrayLiteral {
  /// Creates a relation to models.
  public init(arrayLiteral elements: Target...) { self.init(elements) }
}

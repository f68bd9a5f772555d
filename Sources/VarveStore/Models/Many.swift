/// A relation of one model to many others: untouched, or named, or loaded.
///
/// A model that was read has not loaded its relations, and saving it leaves them as they are.
/// ``TypedQuery/with(_:)`` loads them, one query for all rows. Assigning `[]`, identifiers or models
/// says what the relation shall hold when it is saved.
public struct Many<Target: Persistable>: Sendable {
  private enum State: Sendable {
    case untouched
    case named([Identifier<Target>])
    case loaded([Target])
  }

  private let state: State

  /// A relation nothing is known of; saving leaves it as it is.
  public init() { state = .untouched }

  /// A relation to these.
  public init(_ targets: some Sequence<Target>) { state = .loaded(Array(targets)) }

  /// A relation to these.
  public init(ids: some Sequence<Identifier<Target>>) { state = .named(Array(ids)) }

  /// What it holds, where that was loaded or assigned.
  public var loaded: [Target]? { if case .loaded(let targets) = state { targets } else { nil } }

  /// Whom it names, where that is known.
  public var ids: [Identifier<Target>]? {
    switch state {
    case .untouched: nil
    case .named(let ids): ids
    case .loaded(let targets): targets.map(\.id)
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

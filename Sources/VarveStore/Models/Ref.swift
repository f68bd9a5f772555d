/// A reference from one model to another: the identifier, and what it names where that was loaded.
///
/// What it names need not exist. Nothing loads by being touched: ``TypedQuery/with(_:)`` loads the
/// targets of all rows at once, `find` one.
///
/// ```swift
/// let hats = try await store.fetch(Hat.all.with(\.shop))
/// print(hats.first?.shop?.loaded?.name ?? "no shop")
/// ```
///
/// Two references are equal where their identifiers are, loaded or not.
public struct Ref<Target: Persistable>: Sendable {
  /// Whom it names.
  public let id: Identifier<Target>
  private let target: LoadedTarget<Target>?

  /// A reference by identifier.
  public init(_ id: Identifier<Target>) {
    self.id = id
    target = nil
  }

  /// A reference to a model that is at hand.
  public init(_ target: Target) {
    id = target.id
    self.target = LoadedTarget(target)
  }

  /// What it names, where that was loaded.
  public var loaded: Target? { target?.value }
}

/// Models may refer to their own type, so what is loaded stands apart.
private final class LoadedTarget<Target: Sendable>: Sendable {
  let value: Target

  init(_ value: Target) { self.value = value }
}

extension Ref: Hashable {
  /// Equality of identifiers.
  public static func == (left: Ref, right: Ref) -> Bool { left.id == right.id }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Ref: CustomStringConvertible {
  /// The identifier.
  public var description: String { id.text }
}

extension Persistable {
  /// A reference to this, with it loaded.
  public var ref: Ref<Self> { Ref(self) }
}

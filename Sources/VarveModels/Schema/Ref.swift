/// A reference from one model to another: the identifier of the target and, if loaded, the target.
///
/// The target need not exist. References are never loaded implicitly: `with(_:)` loads
/// the targets of all rows at once, `find` loads one.
///
/// ```swift
/// let hats = try await store.fetch(Hat.all.with(\.shop))
/// print(hats.first?.shop?.loaded?.name ?? "no shop")
/// ```
///
/// Two references are equal if their identifiers are, loaded or not.
public struct Ref<Target: Persistable>: Sendable {
  /// The identifier of the target.
  public let id: Identifier<Target>
  private let target: LoadedTarget<Target>?

  /// Creates a reference from an identifier.
  public init(_ id: Identifier<Target>) {
    self.id = id
    target = nil
  }

  /// Creates a reference to a model, which counts as loaded.
  public init(_ target: Target) {
    id = target.id
    self.target = LoadedTarget(target)
  }

  /// The target, if it was loaded; otherwise nil.
  public var loaded: Target? { target?.value }
}

/// Boxes the target, because a model may refer to its own type.
private final class LoadedTarget<Target: Sendable>: Sendable {
  let value: Target

  init(_ value: Target) { self.value = value }
}

extension Ref: Hashable {
  /// Returns whether the identifiers are equal.
  public static func == (left: Ref, right: Ref) -> Bool { left.id == right.id }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Ref: CustomStringConvertible {
  /// The text of the identifier.
  public var description: String { id.text }
}

extension Persistable {
  /// A reference to this model, which counts as loaded.
  public var ref: Ref<Self> { Ref(self) }
}

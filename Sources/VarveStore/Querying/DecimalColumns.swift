public import Foundation
public import VarveCore

/// Decimal numbers are stored as texts, which databases compare as such: what would be wrong does not
/// compile.
extension ModelColumn where V == Decimal {
  /// Not possible: decimals are stored as texts.
  @available(
    *,
    unavailable,
    message: "decimals are stored as texts; store an integer of the least unit"
  )
  public static func < (column: ModelColumn, value: V) -> Condition { .always }
  /// Not possible: decimals are stored as texts.
  @available(
    *,
    unavailable,
    message: "decimals are stored as texts; store an integer of the least unit"
  )
  public static func <= (column: ModelColumn, value: V) -> Condition { .always }
  /// Not possible: decimals are stored as texts.
  @available(
    *,
    unavailable,
    message: "decimals are stored as texts; store an integer of the least unit"
  )
  public static func > (column: ModelColumn, value: V) -> Condition { .always }
  /// Not possible: decimals are stored as texts.
  @available(
    *,
    unavailable,
    message: "decimals are stored as texts; store an integer of the least unit"
  )
  public static func >= (column: ModelColumn, value: V) -> Condition { .always }
  /// Not possible: decimals are stored as texts.
  @available(
    *,
    unavailable,
    message: "decimals are stored as texts; store an integer of the least unit"
  )
  public func between(_ range: ClosedRange<V>) -> Condition { .always }
}

extension TypedQuery {
  /// Not possible: decimals are stored as texts.
  @available(
    *,
    unavailable,
    message: "decimals are stored as texts; store an integer of the least unit"
  )
  public func order(
    _ keyPath: KeyPath<Model, Decimal>,
    descending isDescending: Bool = false
  ) -> TypedQuery { self }

  /// Not possible: decimals are stored as texts.
  @available(
    *,
    unavailable,
    message: "decimals are stored as texts; store an integer of the least unit"
  )
  public func order(
    _ keyPath: KeyPath<Model, Decimal?>,
    descending isDescending: Bool = false
  ) -> TypedQuery { self }
}

/// The policy for an entity that loses its last owner.
///
/// The policy applies when a relation is removed. An entity whose only owner is erased dies with
/// it, whatever the policy (R16).
public enum OrphanPolicy: String, Hashable, Sendable, CaseIterable {
  /// The entity lives on without an owner.
  case keep
  /// The entity is erased with what it alone owns; hooks run before.
  case erase
  /// The relation stays, and the call throws `orphanRefused`.
  case refuse
}

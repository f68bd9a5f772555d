/// What becomes of an entity when the last owner it has gives it up.
///
/// It concerns relations that are taken back; what an erased owner alone owned dies with it
/// whatever the policy (R16).
public enum OrphanPolicy: String, Hashable, Sendable, CaseIterable {
  /// It goes on without an owner.
  case keep
  /// It is erased, with what it alone owns; hooks are told before.
  case erase
  /// The relation is not taken back: `orphanRefused`.
  case refuse
}

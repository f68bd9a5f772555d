import VarveCore
import VarveSync

/// A store that synchronises with the space.
final class SimulatedClient {
  let store: SimulatedStore
  /// Where it was equal to the server last, as far as its process knows.
  var meeting: SpaceMeeting?
  var exchange: SimulatedExchange?
  /// Whether an exchange with the server was ever completed.
  var hasMet = false
  /// Whether it is bound to the space that has ended.
  var isBound = false

  init(_ store: SimulatedStore) { self.store = store }
}

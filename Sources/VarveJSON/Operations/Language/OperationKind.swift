/// The effect of an operation, by which it is permitted or refused.
package enum OperationKind: Sendable, Hashable {
  /// It changes nothing.
  case reading
  /// It writes, or costs as much as reading everything.
  case writing
  /// It destroys data, or changes the copy itself.
  case administering
}

extension Envelope {
  /// The operation and those in it: their names and kinds.
  var parts: [(name: String, kind: OperationKind)] {
    switch operation {
    case .reading(let operation): [(type(of: operation).name, .reading)]
    case .writing(let operation): operation.names.map { ($0, Self.kind($0)) }
    case .whole(let operation):
      [
        (
          type(of: operation).name,
          Self.kind(type(of: operation).name, type(of: operation).isSigned)
        )
      ]
    case .mapping(let operation):
      [
        (
          type(of: operation).name,
          Self.kind(type(of: operation).name, type(of: operation).isSigned)
        )
      ]
    }
  }

  private static func kind(_ name: String, _ isSigned: Bool = true) -> OperationKind {
    if ["purge", "compact", "rebuild", "index", "retire"].contains(name) { return .administering }
    return isSigned || ["merge", "check", "registerClass"].contains(name) ? .writing : .reading
  }
}

public import VarveCore

/// A row that could not be read as a model and was omitted.
public struct UnreadableRow: Hashable, Sendable {
  /// The reason why a row could not be read.
  public enum Reason: Hashable, Sendable {
    /// A required property is missing.
    case missing
    /// A property has a value of another kind.
    case otherKind(actual: String, wanted: String)
    /// The model's initialiser threw another error.
    case failed(String)
  }

  /// The type of the model.
  public let type: EntityType
  /// The entity.
  public let id: EntityID
  /// The property, if the reason is one.
  public let key: PropertyKey?
  /// The reason.
  public let reason: Reason

  package init(type: EntityType, id: EntityID, key: PropertyKey?, reason: Reason) {
    self.type = type
    self.id = id
    self.key = key
    self.reason = reason
  }
}

extension UnreadableRow: CustomStringConvertible {
  /// The reason as one line.
  public var description: String {
    let what = key.map { "\"\($0)\"" } ?? "it"
    return switch reason {
    case .missing: "\(type) \(id): \(what) is missing"
    case .otherKind(let actual, let wanted): "\(type) \(id): \(what) is \(actual), not \(wanted)"
    case .failed(let error): "\(type) \(id): \(error)"
    }
  }
}

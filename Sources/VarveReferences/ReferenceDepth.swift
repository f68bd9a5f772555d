import VarveCore

extension EntityReference {
  /// The maximum nesting of references in ``anyOf(_:)``, in initial properties and in updates.
  public static let maximumDepth = 256

  /// The references directly inside it.
  fileprivate var inner: [EntityReference] {
    var inner = updates.references + (creation?.initial.references ?? [])
    if case .anyOf(let references) = matcher { inner += references }
    return inner
  }
}

extension [EntityReference] {
  /// Throws if the references are nested too deep.
  func validateDepth() throws {
    var (level, depth) = (self, 0)
    while !level.isEmpty {
      depth += 1
      guard depth <= EntityReference.maximumDepth else {
        throw VarveError(
          .invalidArgument,
          "references are nested more than \(EntityReference.maximumDepth) deep",
          remedy: "List the alternatives of `anyOf` side by side, or create in several calls."
        )
      }
      level = level.flatMap(\.inner)
    }
  }
}

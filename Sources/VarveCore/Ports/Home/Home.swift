/// A place that keeps the logs of spaces: a folder, or a database.
package protocol Home: Sendable {
  /// The spaces, ordered by name.
  func spaces() async throws -> [SpaceSummary]

  /// Creates a space with an empty log.
  ///
  /// - Throws: ``VarveError`` with code `duplicateIdentifier` if a space has the name.
  func create(_ name: String) async throws -> SpaceSummary

  /// Opens the log of a space.
  ///
  /// - Throws: ``VarveError`` with code `notFound` if there is no such space here, or none any
  ///   more.
  func log(of space: SpaceID) async throws -> any LogHome

  /// Ends a space and destroys its log. Its id is never used again; its name may be.
  ///
  /// - Throws: ``VarveError`` with code `notFound` if there is no such space here.
  func end(_ space: SpaceID) async throws
}

/// A space and its name.
package struct SpaceSummary: Sendable, Hashable {
  package let id: SpaceID
  package let name: String

  package init(id: SpaceID, name: String) {
    self.id = id
    self.name = name
  }
}

extension VarveError {
  /// Returns the error for a space that a home does not have.
  package static func noSuchSpace(_ space: SpaceID, at place: String) -> VarveError {
    VarveError(
      .notFound,
      "the space \(space) is not here",
      at: place,
      remedy: "It may have ended. List the spaces of the home."
    )
  }
}

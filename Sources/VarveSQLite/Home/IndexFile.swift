package import VarveCore

extension SQLiteBackend {
  /// Returns the space of which a file is an index, and up to where it has followed the home; nil if
  /// the file is a store without a home.
  ///
  /// - Throws: ``VarveError`` if the file is no store that this build reads.
  package static func indexPlace(
    inFile path: String
  ) async throws -> (space: SpaceID, position: HomePosition)? {
    var configuration = Configuration()
    configuration.isReadOnly = true
    configuration.createsIfMissing = false
    let backend = try await open(.file(path), configuration: configuration)
    do {
      let place = try await backend.inspecting { session in
        try session.homeSpace().flatMap { space in
          try session.homePosition(of: space).map { (space: space, position: $0) }
        }
      }
      try await backend.close()
      return place
    } catch {
      try? await backend.close()
      throw error
    }
  }
}

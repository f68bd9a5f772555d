package import VarveCore
public import VarveEntities
import VarveSQLite

/// A space at a home that several hosts share, and where this host keeps its index of the space.
///
/// The home has the log. All queries run on the index, which has nothing that the home lacks and
/// can be deleted. A module that has a home, such as VarvePostgres, creates locations.
public struct SpaceLocation: Sendable {
  package let name: String
  package let home: any Home
  package let index: Store.Location
  /// The space that is meant; nil for whichever has the name.
  private var id: SpaceID?

  package init(_ name: String, at home: any Home, index: Store.Location) {
    self.name = name
    self.home = home
    self.index = index
  }

  /// A space of a home.
  package init(_ space: SpaceSummary, at home: any Home, index: Store.Location) {
    self.init(space.name, at: home, index: index)
    id = space.id
  }

  /// Opens the log of the space.
  fileprivate func log(creates: Bool) async throws -> any LogHome {
    if let id { return try await home.log(of: id) }
    while true {
      if let space = try await home.spaces().first(where: { $0.name == name }) {
        return try await home.log(of: space.id)
      }
      guard creates else {
        throw VarveError(
          .notFound,
          "the home has no space \(name)",
          at: "space \(name)",
          remedy: "Check the name, or open it with createsIfMissing."
        )
      }
      do {
        return try await home.log(of: home.create(name).id)
      } catch let error as VarveError where error.code == .duplicateIdentifier {
        // Another host was faster, unless only a name that differs in case is taken.
        guard try await home.spaces().contains(where: { $0.name == name }) else { throw error }
      }
    }
  }
}

extension Store {
  /// Opens a space at a home that several hosts share. The index is made, or brought up to date,
  /// first.
  ///
  /// ```swift
  /// let home = try await PostgresHome("postgres://app@db.example/varve")
  /// let store = try await Store.open(.space("hats", at: home, index: .file("cache/hats.varve")))
  /// ```
  ///
  /// A space that does not exist is created, unless the configuration forbids that. Commits are
  /// stamped by the home's clock. What other hosts write is visible soon after; ``followHome()``
  /// before a read makes sure of it.
  ///
  /// - Throws: ``VarveError``: `notFound` if there is no such space and none may be created,
  ///   `inputOutput` if the home cannot be reached, `invalidArgument` if the file is the index of
  ///   another space, and as `open(_:configuration:)`.
  public static func open(
    _ space: SpaceLocation,
    configuration: Configuration = Configuration()
  ) async throws -> Store {
    var settings = backendConfiguration(configuration)
    guard settings.sealing?.hasKeys != true else {
      throw VarveError.notInSealedSpace("a member's store at a home that several hosts share")
    }
    // A relay is made for a space whose id is known.
    let creates = configuration.createsIfMissing && settings.sealing == nil
    settings.home = try await space.log(creates: creates)
    settings.createsIfMissing = true
    settings.followsAnnouncements = true
    return try await open(space.index, configuration, settings)
  }
}

extension SpaceLocation {
  /// Throws unless a file is an index of the space, at a position that the home has had.
  ///
  /// An index that comes from elsewhere must be one. What any other file has would be added to the home,
  /// as if the home had lost it.
  ///
  /// - Throws: ``VarveError``: `invalidArgument`; `inputOutput`, `damaged` or `notAStore` if the file
  ///   cannot be read.
  package func requireIndex(_ file: String) async throws {
    let log = try await log(creates: false)
    if let place = try await SQLiteBackend.indexPlace(inFile: file), place.space == log.space,
      try await log.knows(place.position)
    {
      return
    }
    throw VarveError(
      .invalidArgument,
      "the file is no index of the space \(log.space), or of another copy of it",
      at: file,
      remedy: "Fetch the index of a host of the same home, or let it be made from the log."
    )
  }
}

package import VarveCore
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
        // Another host was faster.
        continue
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
  ///   another space, and as ``open(_:configuration:)-(Location,_)``.
  public static func open(
    _ space: SpaceLocation,
    configuration: Configuration = Configuration()
  ) async throws -> Store {
    var settings = backendConfiguration(configuration)
    settings.home = try await space.log(creates: configuration.createsIfMissing)
    settings.createsIfMissing = true
    settings.followsAnnouncements = true
    return try await open(space.index, configuration, settings)
  }

  /// Makes everything visible that other hosts of this store's home have written so far. Does
  /// nothing if the store has its log itself.
  ///
  /// ```swift
  /// try await store.followHome()
  /// let hat = try await store.entity("hat-1")  // as any host has written it before
  /// ```
  ///
  /// - Throws: ``VarveError``: `inputOutput` if the home cannot be reached, `closed`.
  /// - Complexity: O(what the index lacks).
  public func followHome() async throws { try await index?.applyArrivals() }

  /// The position up to which this store has followed its home; nil if it has its log itself.
  ///
  /// Another host that has caught up to it sees everything that this store sees.
  ///
  /// - Throws: ``VarveError`` with code `closed`.
  public func position() async throws -> Position? {
    try await index?.indexPosition().map(Position.init)
  }

  /// Makes visible what a store of another host saw at a position of its own. Does nothing if the
  /// store has its log itself.
  ///
  /// - Throws: ``VarveError``: `invalidArgument` if the home never had the position, because it was
  ///   restored or went back; `inputOutput` if the home cannot be reached; `closed`.
  /// - Complexity: O(what the index lacks).
  public func followHome(atLeast position: Position) async throws {
    guard let index, try await index.indexPosition() != position.position else { return }
    try await index.applyArrivals(atLeast: position.position)
  }

  private var index: SQLiteBackend? {
    guard let backend = backend as? SQLiteBackend, backend.followsHome else { return nil }
    return backend
  }

  /// A place in the order of a home's arrivals, to be given to another host as a text.
  public struct Position: Hashable, Sendable, LosslessStringConvertible {
    fileprivate let position: HomePosition

    fileprivate init(_ position: HomePosition) { self.position = position }

    /// Creates a position from its text; nil if the text is anything else.
    public init?(_ description: String) {
      let parts = description.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3, let number = Int64(parts[0]), number >= 0,
        let incarnation = UInt64(parts[1], radix: 16), let running = UInt64(parts[2], radix: 16)
      else { return nil }
      position = HomePosition(
        incarnation: Int64(bitPattern: incarnation),
        number: number,
        running: Int64(bitPattern: running)
      )
    }

    /// The number of arrivals, the copy of the log, and a hash over the arrivals.
    public var description: String {
      let incarnation = String(UInt64(bitPattern: position.incarnation), radix: 16)
      let running = String(UInt64(bitPattern: position.running), radix: 16)
      return "\(position.number)-\(incarnation)-\(running)"
    }
  }
}

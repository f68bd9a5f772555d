public import VarveStore

extension SpaceHome {
  /// The spaces of a PostgreSQL database.
  public static func postgres(_ home: PostgresHome) -> SpaceHome { SpaceHome(home) }
}

extension SpaceLocation {
  /// A space in a PostgreSQL database.
  ///
  /// - Parameters:
  ///   - name: the name of the space.
  ///   - home: the database.
  ///   - index: where this host keeps its index: a file that no other process uses, or memory.
  public static func space(
    _ name: String,
    at home: PostgresHome,
    index: Store.Location
  ) -> SpaceLocation {
    SpaceLocation(name, at: home, index: index)
  }
}

/// A home that also keeps notes for its hosts: short texts by kind and name, which all hosts share.
package protocol NotedHome: Home {
  /// Creates a relay of a sealed space, which has the id of that space.
  ///
  /// - Throws: ``VarveError`` with code `duplicateIdentifier` if a space has the name or the id.
  func createRelay(_ name: String, of space: SpaceID) async throws -> SpaceSummary

  /// Returns the notes of a kind, in order of their names.
  func notes(_ kind: String) async throws -> [HomeNote]

  /// Adds a note unless one of its kind has the name. Returns whether it was added.
  func add(_ note: HomeNote) async throws -> Bool

  /// Adds a note, in place of one of its kind with the name.
  func replace(_ note: HomeNote) async throws

  /// Removes a note. Returns whether there was one.
  func removeNote(_ kind: String, _ name: String) async throws -> Bool

  /// Throws unless this host may write to the home.
  ///
  /// - Throws: ``VarveError``: `readOnly`, `inputOutput` if the home cannot be reached.
  func requireWritable() async throws

  /// Returns those of some spaces that the home still has.
  func spaces(among ids: Set<SpaceID>) async throws -> Set<SpaceID>

  /// Ends a space, and keeps a note of it in the same transaction, in place of one with its name.
  ///
  /// - Parameter note: returns the note for a number of commits. Nobody else can write meanwhile.
  /// - Returns: the number of commits that the space had.
  /// - Throws: ``VarveError`` with code `notFound` if there is no such space here.
  func end(_ space: SpaceID, noting note: @Sendable (_ commitCount: Int) -> HomeNote) async throws
    -> Int
}

/// A text that a home keeps for its hosts.
package struct HomeNote: Sendable, Hashable {
  package let kind: String
  package let name: String
  package let text: String

  package init(_ kind: String, _ name: String, _ text: String) {
    self.kind = kind
    self.name = name
    self.text = text
  }
}

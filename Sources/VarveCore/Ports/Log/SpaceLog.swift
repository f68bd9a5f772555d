/// A log that serves as a space: other stores synchronise with it, and read it in arrival order.
package protocol SpaceLog: Sendable {
  /// Returns the id of the space. The first call chooses it, and an incarnation.
  func space() async throws -> SpaceID

  /// Returns the place after the last arrival.
  func end() async throws -> HomePosition

  /// Returns commits that arrived after a position, in order of arrival, in parts of bounded size,
  /// and the position after them. A commit that is larger than a number of bytes is without its
  /// blocks, and the last of its part.
  ///
  /// - Returns: nil if the log never had the position.
  /// - Complexity: O(returned commits), and O(commits) once for each opened store.
  func arrivals(
    after position: HomePosition,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int
  ) async throws -> (items: [LogItem], next: HomePosition)?

  /// Returns the space that was met under an address, if there is one.
  func boundSpace(at address: String) async throws -> SpaceID?

  /// Records the space that was met under an address, and whether the log's owner is an admin
  /// there; nil if that is not known, which changes nothing.
  func bind(_ space: SpaceID, at address: String, isAdmin: Bool?) async throws
}

/// A log that is no space.
extension SpaceLog {
  package func space() async throws -> SpaceID { throw Self.unsupported }

  package func end() async throws -> HomePosition { throw Self.unsupported }

  package func arrivals(
    after position: HomePosition,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int
  ) async throws -> (items: [LogItem], next: HomePosition)? { throw Self.unsupported }

  package func boundSpace(at address: String) async throws -> SpaceID? { nil }

  package func bind(_ space: SpaceID, at address: String, isAdmin: Bool?) async throws {
    throw Self.unsupported
  }

  private static var unsupported: VarveError {
    VarveError(
      .unsupported,
      "this log cannot be served as a space",
      remedy: "Open the store from a file or in memory."
    )
  }
}

/// A position of a space: up to here a client has commits, or a server has sent them.
///
/// It is a hint. The receiver looks it up and compares the hash, in case the log never had it.
package struct SpacePosition: Sendable, Hashable {
  /// The space.
  package let space: SpaceID
  /// The place in its order of arrivals.
  package let position: HomePosition

  package init(space: SpaceID, position: HomePosition) {
    self.space = space
    self.position = position
  }

  /// The number of parts of a text, which dots separate.
  package static let partCount = 4

  /// Parses the text of a position; nil if it is anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == Self.partCount, let space = SpaceID(String(parts[0])),
      let incarnation = UInt64(parts[1], radix: 16),
      let number = Int64(parts[2]), number >= 0,
      let running = UInt64(parts[3], radix: 16)
    else { return nil }
    self.init(
      space: space,
      position: HomePosition(
        incarnation: Int64(bitPattern: incarnation),
        number: number,
        running: Int64(bitPattern: running)
      )
    )
    guard self.text == text else { return nil }
  }

  /// The position as a text of letters, digits, hyphens and dots.
  package var text: String {
    let incarnation = String(UInt64(bitPattern: position.incarnation), radix: 16)
    let running = String(UInt64(bitPattern: position.running), radix: 16)
    return "\(space).\(incarnation).\(position.number).\(running)"
  }
}

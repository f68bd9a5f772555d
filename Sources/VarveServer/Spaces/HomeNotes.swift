#if Server
package import Foundation
package import VarveCore
import VarveJSON
package import VarveStore

/// What the hosts of a home note there: tokens, grants and receipts.
package enum HomeNotes {
  /// Returns what is wrong with the notes: those that no host can read.
  ///
  /// - Throws: `VarveError` with code `inputOutput` if the home cannot be reached.
  package static func findings(at home: SpaceHome) async throws -> [String] {
    var findings: [String] = []
    for (kind, noun, isReadable) in kinds {
      for note in try await home.home.notes(kind)
      where !((try? JSONReader.read(note.text)).map { isReadable($0, note.name) } ?? false) {
        findings.append("the \(noun) \"\(note.name)\" cannot be read")
      }
    }
    return findings
  }

  private static let kinds:
    [(kind: String, noun: String, isReadable: @Sendable (JSON, String) -> Bool)] = [
      (TokenFile.kind, "token", { TokenFile.Entry($0)?.name == $1 }),
      (
        GrantBook.kind, "grant",
        { json, name in KeptRole(json).map { GrantBook.noteName($0.holder, $0.id) } == name }
      ),
      (HomeShelf.receipts, "receipt of the space", { SpaceReceipt($0)?.name.text == $1 }),
    ]

  /// Returns the receipt that the hosts of a home show for a space that has moved to another one;
  /// nil if its name is none that a server shows.
  package static func receipt(
    ofMoved space: SpaceSummary,
    commitCount: Int,
    time: Date
  ) -> HomeNote? {
    guard let name = SpaceName(space.name) else { return nil }
    var receipt = SpaceReceipt(
      name: name,
      id: space.id,
      commitCount: commitCount,
      time: time,
      subject: nil
    )
    receipt.isMoved = true
    return HomeNote(HomeShelf.receipts, name.text, receipt.json.text)
  }

  /// Returns whether the space that had a name last has moved to another home.
  package static func hasMoved(_ name: String, from home: SpaceHome) async throws -> Bool {
    let note = try await home.home.notes(HomeShelf.receipts).first { $0.name == name }
    return try note.flatMap { SpaceReceipt(try JSONReader.read($0.text)) }?.isMoved ?? false
  }

  /// Copies the grants of a space to the home that it moves to. The grants of others stay there as
  /// they are.
  package static func copyGrants(
    in space: SpaceID,
    from source: SpaceHome,
    to target: SpaceHome
  ) async throws {
    for note in try await source.home.notes(GrantBook.kind)
    where note.name.hasPrefix("\(space.text) ") {
      try await target.home.replace(note)
    }
  }

  /// Removes the grants of a space that is no longer here.
  package static func removeGrants(in space: SpaceID, from home: SpaceHome) async throws {
    for note in try await home.home.notes(GrantBook.kind)
    where note.name.hasPrefix("\(space.text) ") {
      _ = try await home.home.removeNote(note.kind, note.name)
    }
  }
}
#endif

#if CommandLine
import VarveCore
import VarveJSON
import VarveSealed

extension SpaceMember {
  /// The beginning of the id, by which people name the device.
  var shortID: String { Self.short(id) }

  static func short(_ id: String) -> String { String(id.prefix(12)) }

  /// The role, or that it was removed.
  var shownRole: String { role.map { RoleName($0).rawValue } ?? "removed" }

  /// The member as JSON.
  var json: JSON {
    [
      "device": .string(id), "role": .optional(role.map { RoleName($0).rawValue }),
      "thisDevice": .bool(isThisDevice), "replicas": .array(replicas.map { .string($0.text) }),
    ]
  }
}

extension SpaceMembership {
  /// Returns the membership and the members as JSON.
  func json(_ members: [SpaceMember]) -> JSON {
    [
      "space": .optional(space?.text), "role": .optional(role.map { RoleName($0).rawValue }),
      "home": .bool(isHome), "writable": .bool(hasEpoch), "pending": .count(pendingChangeCount),
      "members": .array(members.map(\.json)),
    ]
  }

  /// The lines about the store for people.
  var lines: [String] {
    guard let space else { return [Self.waits] }
    return ["space \(space): its membership is ordered \(isHome ? "here" : "elsewhere")"] + notes
  }

  /// What people should know after a synchronisation.
  var notes: [String] {
    guard space != nil else { return [Self.waits] }
    var notes: [String] = []
    if pendingChangeCount > 0 {
      notes.append(
        "\(counted(pendingChangeCount, "change")) of the membership not ordered by its home yet: "
          + "synchronise with it"
      )
    }
    if !hasEpoch { notes.append("nobody writes to the space until an admin has synchronised") }
    return notes
  }

  private static let waits =
    "this store waits to be admitted: let the inviting device synchronise, then synchronise again"
}
#endif

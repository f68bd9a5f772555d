#if Server
import Foundation
import VarveCore
import VarveJSON

/// The roles that a server keeps for subjects of signed tokens: in `grants.jsonl` of its folder, or
/// at the home that its spaces share.
actor GrantBook {
  private enum Place {
    case file(String)
    case home(any NotedHome)
  }

  private let place: Place
  private let list: KeptList<KeptRole>
  private var rolesByHolder: [KeptRole.Holder: [KeptRole]] = [:]

  static let kind = "grant"
  /// The most roles that are kept for one space.
  static let capacity = 10_000

  /// Creates the book of a folder.
  init(folder: String) {
    let path = "\(folder)/grants.jsonl"
    place = .file(path)
    list = KeptList(.file(path), of: Self.kind) { KeptRole($0) }
  }

  /// Creates the book of a home, which all its hosts share.
  init(_ home: any NotedHome) {
    place = .home(home)
    list = KeptList(.home(home, kind: Self.kind), of: Self.kind) { KeptRole($0) }
  }

  // MARK: Reading

  /// Returns the roles of a subject, in all spaces.
  func roles(of holder: KeptRole.Holder) async throws -> [KeptRole] {
    try await refresh()
    return rolesByHolder[holder] ?? []
  }

  /// Returns the roles in a space, in order of issuers and subjects.
  ///
  /// A copy that was restored under another name has the id too, but not the roles.
  func roles(in space: SpaceID, named name: SpaceName) async throws -> [KeptRole] {
    try await refresh()
    return list.entries.filter { $0.isFor(space, name) }.sorted {
      ($0.holder.issuer, $0.holder.subject) < ($1.holder.issuer, $1.holder.subject)
    }
  }

  /// A number that differs whenever a role may have changed.
  func revision() async -> Int {
    try? await refresh()
    return list.changeCount
  }

  /// What cannot be read of the roles; nil if everything can.
  func fault() async -> VarveError? {
    try? await refresh()
    return list.fault
  }

  private func refresh() async throws {
    guard try await list.refresh() else { return }
    rolesByHolder = Dictionary(grouping: list.entries, by: \.holder)
  }

  // MARK: Changing

  /// Keeps a role, in place of another of the subject in the space. Returns whether there was none.
  ///
  /// - Throws: `VarveError`: `overQuota` if the space has too many, `inputOutput`.
  func grant(_ role: KeptRole) async throws -> Bool {
    let isNew: Bool
    switch place {
    case .file(let path):
      isNew = try change(path, role.holder, in: role.id, named: role.space, to: role) == nil
    case .home(let home):
      list.forget()
      let known = try await roles(in: role.id, named: role.space)
      isNew = !known.contains { $0.holder == role.holder }
      if isNew { try Self.requireRoom(known.count, in: role.space) }
      let note = HomeNote(Self.kind, Self.noteName(role.holder, role.id), role.record.text)
      try await home.replace(note)
      list.forget()
    }
    return isNew
  }

  /// Removes the role of a subject in a space. Returns it; nil if there is none.
  func revoke(
    _ holder: KeptRole.Holder,
    in space: SpaceID,
    named name: SpaceName
  ) async throws -> KeptRole? {
    switch place {
    case .file(let path): return try change(path, holder, in: space, named: name, to: nil)
    case .home(let home):
      list.forget()
      let known = try await roles(in: space, named: name).first { $0.holder == holder }
      let wasThere = try await home.removeNote(Self.kind, Self.noteName(holder, space))
      list.forget()
      return wasThere ? known : nil
    }
  }

  /// Removes all roles in a space that has ended.
  func revokeAll(in space: SpaceID, named name: SpaceName) async throws {
    switch place {
    case .file(let path):
      try Self.change(path) { entries in
        let rest = entries.filter { !$0.isFor(space, name) }
        return rest.count < entries.count ? rest : nil
      }
    case .home(let home):
      list.forget()
      for role in try await roles(in: space, named: name) {
        _ = try await home.removeNote(Self.kind, Self.noteName(role.holder, space))
      }
      list.forget()
    }
  }

  /// Replaces a role in the file. Returns the former one.
  private func change(
    _ path: String,
    _ holder: KeptRole.Holder,
    in space: SpaceID,
    named name: SpaceName,
    to role: KeptRole?
  ) throws -> KeptRole? {
    var former: KeptRole?
    try Self.change(path) { entries in
      former = entries.first { $0.isFor(space, name) && $0.holder == holder }
      guard former != nil || role != nil else { return nil }
      var changed = entries.filter { !$0.isFor(space, name) || $0.holder != holder }
      guard let role else { return changed }
      if former == nil {
        try Self.requireRoom(changed.count { $0.isFor(space, name) }, in: role.space)
      }
      changed.append(role)
      return changed
    }
    return former
  }

  private static func change(_ path: String, _ body: ([KeptRole]) throws -> [KeptRole]?) throws {
    try KeptList.change(path, of: kind, { KeptRole($0) }, { $0.record }, body)
  }

  private static func requireRoom(_ count: Int, in space: SpaceName) throws {
    guard count >= capacity else { return }
    throw VarveError(
      .invalidArgument,
      "the space \"\(space.text)\" has \(capacity) grants already",
      at: "space \(space.text)",
      remedy: "Revoke some, or let the issuer state roles in the tokens."
    )
  }

  static func noteName(_ holder: KeptRole.Holder, _ space: SpaceID) -> String {
    "\(space.text) \(holder.digest.hexadecimal)"
  }
}
#endif

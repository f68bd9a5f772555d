#if CommandLine && Server
import Foundation
import VarveCore
import VarveJSON
import VarveStore
import VarveSync
import VarveTestSupport

/// What somebody does in a copy of a space, and hands over.
enum Deed: CaseIterable {
  case writes
  case purges
  case compacts
  case retiresAnother
  case retiresTheSpace
  case retiresItself
  /// Creates an entity of another type with the identifier that retires a replica.
  case retiresInDisguise

  /// Whether anyone who may write may do it.
  var isHarmless: Bool { self == .writes || self == .retiresItself }

  /// A space with a hat of two values by one copy, and that copy's replica.
  static func prepare(_ space: Store) async throws -> ReplicaID {
    let victim = try await Store.open(.inMemory)
    _ = try await victim.create("Hat", id: "hat-1", ["color": "red"])
    try await victim.write { try await $0.set("hat-1", "color", "blue") }
    try await space.merge(from: victim)
    _ = try await space.create("Cap", id: "cap-1")
    return try await victim.replicas()[0].id
  }

  /// Does it in a copy of the space, and returns the copy with the commit.
  ///
  /// - Parameter server: the replica of the space; nil if that is the store's own.
  func done(
    to space: Store,
    _ victim: ReplicaID,
    server: ReplicaID? = nil
  ) async throws -> (copy: Store, commit: CommitID) {
    let copy = try await Store.open(.inMemory)
    try await copy.merge(from: space)
    switch self {
    case .writes: _ = try await copy.create("Hat", id: "hat-2")
    case .purges: try await copy.write { _ = try await $0.purge(["hat-1"]) }
    case .compacts:
      try await Task.sleep(for: .milliseconds(50))
      _ = try await copy.compact(before: Date(timeIntervalSinceNow: -0.02))
    case .retiresAnother: try await copy.retire(victim)
    case .retiresTheSpace:
      for replica in try await space.replicas()
      where server.map({ $0 == replica.id }) ?? replica.isOwn {
        try await copy.retire(replica.id)
      }
    case .retiresItself:
      for replica in try await copy.replicas() where replica.isOwn {
        try await copy.retire(replica.id)
      }
    case .retiresInDisguise:
      _ = try await copy.create("Hat", id: Retirement.id(of: victim))
    }
    let newest = try await copy.log(limit: 1)[0].id
    return (copy, newest)
  }
}

/// A way by which commits come into a log.
enum Intrusion: CaseIterable {
  case request
  /// A request whose commits are too large to be kept, and are staged.
  case staging
  case list
  case parts
  case document
  case merge
  case folder
  case exchange

  /// Gives a store what a copy has. What is refused throws, or is parked.
  func give(_ copy: Store, to space: Store) async throws {
    let log = try space.sharedLog()
    let missing = try await copy.sharedLog().commits(beyond: space.frontier(), atMost: .max)
    switch self {
    case .request, .staging:
      var limits = SyncLimits()
      if self == .staging { limits.whole = 16 }
      var writer = CommitStreamWriter()
      for commit in missing { writer.add(commit) }
      var intake = try await SpaceResponder(log, limits: limits).intake()
      try await intake.add(writer.take())
      try Self.refuse(try await intake.finish().parked)
    case .list: _ = try await log.append(missing)
    case .parts:
      var parts: [CommitPart] = missing.flatMap { commit in
        [.header(commit.header)] + commit.blocks.map { .block($0) }
      }
      _ = try await log.append { parts.isEmpty ? nil : parts.removeFirst() }
    case .document:
      let text = Text()
      try await copy.export(.full) { text.bytes += $0 }
      _ = try await space.load(DocumentSource(bytes: text.bytes))
    case .merge: _ = try await space.merge(from: copy)
    case .folder:
      let folder = try Scratch()
      try await copy.sync(folder: folder.path)
      try Self.refuse(try await space.sync(folder: folder.path).parked)
    case .exchange: try Self.refuse(try await space.sync(with: copy).parked)
    }
  }

  private static func refuse(_ parked: [Parked]) throws {
    if let one = parked.first { throw one.error }
  }

  private final class Text {
    var bytes: [UInt8] = []
  }
}
#endif

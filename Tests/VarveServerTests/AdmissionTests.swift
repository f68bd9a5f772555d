#if CommandLine && Server
import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Who may hand over what destroys others' data, by every way into a log.
@Suite("What only an admin may do") struct AdmissionTests {
  /// Who acts.
  enum Who: CaseIterable {
    case limited
    case admin
    case owner
    /// The owner of a store that synchronises with a space in which they are an admin.
    case ownerAsAdmin
    /// The owner of a store that synchronises with a space in which they are none.
    case ownerAsWriter

    var isLimited: Bool { self == .limited || self == .ownerAsWriter }

    var caller: LogCaller {
      switch self {
      case .limited: LogCaller("eve", .limited)
      case .admin: LogCaller("ada", .admin)
      case .owner, .ownerAsAdmin, .ownerAsWriter: .owner
      }
    }

    /// Lets a store know in what its owner is an admin.
    func bind(_ store: Store) async throws {
      guard self == .ownerAsAdmin || self == .ownerAsWriter else { return }
      let isAdmin = self == .ownerAsAdmin
      try await store.sharedLog().bind(.random(), at: "http://h/x", isAdmin: isAdmin)
    }
  }

  /// Where a log is.
  enum Place: CaseIterable {
    case memory
    case file
    case home
    case reference

    func open(_ scratch: Scratch) async throws -> Store {
      switch self {
      case .memory: try await Store.open(.inMemory)
      case .file: try await Store.open(scratch.path("space.varve"))
      case .home:
        try await Store.open(
          SpaceLocation("hats", at: try FolderHome(scratch.path("home")), index: .inMemory)
        )
      case .reference: Store(backend: ReferenceBackend())
      }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let place: Place
    let way: Intrusion

    var testDescription: String { "\(way) into \(place)" }

    /// Every way into memory, and one into each place; all of them in a soak.
    static var all: [Case] {
      Place.allCases.flatMap { place in
        Intrusion.allCases.filter { way in
          // The reference is no space, and is not synchronised with.
          guard place != .reference || [.list, .parts, .document].contains(way) else {
            return false
          }
          return Seeds.isSoak || place == .memory || way == .request || way == .parts
        }.map { Case(place: place, way: $0) }
      }
    }
  }

  @Test(arguments: Case.all)
  func `what only an admin may do holds by every way into a log`(one: Case) async throws {
    for who in Who.allCases where one.place != .reference || who == .limited || who == .admin {
      for deed in Deed.allCases {
        let scratch = try Scratch()
        let space = try await one.place.open(scratch)
        let victim = try await Deed.prepare(space)
        let (copy, commit) = try await deed.done(to: space, victim)
        // What follows is not wedged in between.
        try await who.bind(space)
        var refusal: VarveError?
        do {
          try await LogCaller.$current.withValue(who.caller) {
            try await one.way.give(copy, to: space)
          }
        } catch let error as VarveError {
          refusal = error
        }
        let what = "\(who) \(deed): \(refusal.map { "\($0)" } ?? "taken")"
        let mayPass = !who.isLimited || deed.isHarmless
        #expect((refusal == nil) == mayPass, "\(what)")
        #expect(refusal == nil || refusal?.code == .forbidden, "\(what)")
        let held = try await space.sharedLog().held(among: [commit])
        #expect(held.isEmpty == !mayPass, "\(what)")
        try await Self.requireUnharmed(space, victim, unless: mayPass ? deed : .writes, what)
        try await space.close()
      }
    }
  }

  /// Expects that everything is there but what a deed has destroyed.
  private static func requireUnharmed(
    _ space: Store,
    _ victim: ReplicaID,
    unless deed: Deed,
    _ what: String
  ) async throws {
    let count = try await space.history(of: "hat-1", "color").count
    #expect(count == (deed == .purges ? 0 : deed == .compacts ? 1 : 2), "\(what)")
    let retirement = try await space.entity(Retirement.id(of: victim))
    let isRetired = deed == .retiresAnother || deed == .retiresInDisguise
    #expect((retirement != nil) == isRetired, "\(what)")
  }

  // MARK: Local writes

  /// A write that destroys others' data.
  enum Write: CaseIterable {
    case purge
    case compaction
    case retirement
    case creation
    case creationsOfATable
    case disguise
    case property
    case change
    case erasure
    case restoration
    case undoing
    case ownership
    case attempt
  }

  @Test(arguments: Write.allCases, Place.allCases)
  func `what only an admin may do holds for every write`(write: Write, place: Place) async throws {
    for who in Who.allCases where place != .reference || who == .limited || who == .admin {
      let scratch = try Scratch()
      let space = try await place.open(scratch)
      let victim = try await Deed.prepare(space)
      let id = Retirement.id(of: victim)
      // Somebody is retired, and somebody no more.
      let former = try await Store.open(.inMemory)
      _ = try await former.create("Hat")
      try await space.merge(from: former)
      let old = try await former.replicas()[0].id
      try await space.retire(old)
      let other = try await Store.open(.inMemory)
      _ = try await other.create("Hat")
      try await space.merge(from: other)
      let returned = try await other.replicas()[0].id
      try await space.retire(returned)
      let revived = try await space.undo(space.log(limit: 1)[0].id).commit
      try await who.bind(space)
      let before = try await space.frontier()
      let act = {
        switch write {
        case .purge: try await space.write { _ = try await $0.purge(["hat-1"]) }
        case .compaction:
          try await Task.sleep(for: .milliseconds(50))
          _ = try await space.compact(before: Date(timeIntervalSinceNow: -0.02))
        case .retirement: try await space.retire(victim)
        case .creation: _ = try await space.create(Retirement.entityType, id: id)
        case .creationsOfATable:
          try await space.write { transaction in
            for number in 0..<20 {
              _ = try await transaction.create("Hat", id: EntityID("n\(number)"))
            }
            _ = try await transaction.create(Retirement.entityType, id: id, ["through": 9])
          }
        case .disguise: _ = try await space.create("Hat", id: id)
        case .property:
          try await space.write { try await $0.set(Retirement.id(of: old), "through", 0) }
        case .change:
          try await space.write {
            _ = try await $0.update(Query(Retirement.entityType), ["through": 0])
          }
        case .erasure:
          try await space.write { _ = try await $0.erase(Query(Retirement.entityType)) }
        case .restoration:
          try await space.restore(Retirement.id(of: returned))
        case .undoing: _ = try await space.undo(try #require(revived).id)
        case .ownership:
          try await space.write {
            try await $0.relate("cap-1", .owns, Retirement.id(of: old))
          }
        case .attempt:
          try await space.write { transaction in
            _ = try await transaction.attempt { try await transaction.purge(["hat-1"]) }
          }
        }
      }
      var refusal: VarveError?
      do {
        try await LogCaller.$current.withValue(who.caller) { try await act() }
      } catch let error as VarveError {
        refusal = error
      }
      let what = "\(who): \(refusal.map { "\($0)" } ?? "written")"
      #expect((refusal?.code == .forbidden) == who.isLimited, "\(what)")
      #expect(refusal == nil || who.isLimited, "\(what)")
      if who.isLimited { #expect(try await space.frontier() == before, "\(what)") }
      try await space.close()
    }
  }

  @Test func `leaves a store that synchronises with a space its own retirement`() async throws {
    let store = try await Store.open(.inMemory)
    _ = try await store.create("Hat")
    try await Who.ownerAsWriter.bind(store)
    let own = try #require(try await store.replicas().first { $0.isOwn })
    try await store.retire(own.id)
    #expect(try await store.replicas().first { $0.id == own.id }?.state == .retired)
  }

  @Test func `says who handed a commit over, at every index of a home and after a rebuild`()
    async throws
  {
    let scratch = try Scratch()
    let home = try FolderHome(scratch.path("home"))
    let path = scratch.path("one.varve")
    let first = try await Store.open(SpaceLocation("hats", at: home, index: .file(path)))
    let copy = try await Store.open(.inMemory)
    _ = try await copy.as("ada").create("Hat", id: "hat-1")
    _ = try await copy.as("eve").create("Hat", id: "hat-2")
    try await LogCaller.$current.withValue(LogCaller("eve", .limited)) {
      _ = try await first.merge(from: copy)
    }
    _ = try await first.as("ben").create("Hat", id: "hat-3")
    try await first.rebuild()
    let second = try await Store.open(SpaceLocation("hats", at: home, index: .inMemory))
    for store in [first, second] {
      let log = try await store.log()
      #expect(log.map(\.author) == ["ben", "eve", "ada"])
      #expect(log.map(\.handedOverBy) == [nil, "eve", "eve"])
      #expect(log.map(\.foreignHand) == [nil, nil, "eve"])
      let version = try #require(try await store.history(of: "hat-1").first)
      #expect(version.commit.handedOverBy == "eve")
      #expect(try await store.changes(by: version.commit.id).commit.handedOverBy == "eve")
      #expect(try await store.check().isClean)
      try await store.close()
    }
  }

  @Test func `what only an admin may do holds for several writes that share a turn at a home`()
    async throws
  {
    let scratch = try Scratch()
    let space = try await Place.home.open(scratch)
    let victim = try await Deed.prepare(space)
    let id = Retirement.id(of: victim)
    let refused = await withTaskGroup(of: VarveError.Code?.self) { group in
      for number in 0..<40 {
        group.addTask {
          let caller = LogCaller("eve", number.isMultiple(of: 2) ? .limited : .admin)
          do {
            try await LogCaller.$current.withValue(caller) {
              if number.isMultiple(of: 2) {
                _ = try await space.create("VarveReplica", id: id)
              } else {
                _ = try await space.create("Hat", id: EntityID("hat \(number)"))
              }
            }
            return nil
          } catch {
            return (error as? VarveError)?.code
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(refused.count { $0 == .forbidden } == 20)
    #expect(refused.count { $0 == nil } == 20)
    #expect(try await space.entity(id) == nil)
  }
}
#endif

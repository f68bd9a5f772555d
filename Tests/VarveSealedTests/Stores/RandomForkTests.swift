import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveStore
import VarveTestSupport

/// A relay is lost and restored from a copy, while some members use the one and some the other; then the
/// recovery key joins what the two ordered.
@Suite("Random forks of a membership")
struct RandomForkTests {
  @Test(arguments: Seeds.first(4, of: 0..<100))
  func `end equal for all who are members after the join`(seed: UInt64) async throws {
    var trial = try await ForkTrial(seed)
    for _ in 0..<12 { try await trial.step(.both) }
    try await trial.fork()
    for _ in 0..<16 { try await trial.step(trial.anyBranch()) }
    try await trial.join()
    for _ in 0..<12 { try await trial.step(.both) }
    try await trial.heal()
    try await trial.verify()
  }
}

struct ForkTrial {
  /// Which relay a member uses.
  enum Branch { case both, lost, restored }

  private struct Member {
    let team: TeamStore
    var branch = Branch.both
  }

  private var random: SplitMix64
  private let clock = TestClock()
  private let scratch: Scratch
  private let key: String
  /// The relay, or the lost one.
  private let relay: Store
  /// The relay that everybody uses in the end.
  private var restored: Store
  private var members: [Member]
  private var count = 0

  /// Begins with two admins and two writers.
  init(_ seed: UInt64) async throws {
    random = SplitMix64(seed: seed)
    scratch = try Scratch()
    relay = try await TeamStore.relay()
    restored = relay
    let ana = try await TeamStore.device(clock: clock)
    key = try await ana.store.sealSpace()
    members = [Member(team: ana)]
    try await ana.store.sync(with: relay)
    for role in [MemberRole.admin, .writer, .writer] { try await add(role, .both) }
  }

  mutating func anyBranch() -> Branch { Bool.random(using: &random) ? .lost : .restored }

  private func relay(of branch: Branch) -> Store { branch == .lost ? relay : restored }

  /// The members who use a relay and are still members there, the admins of theirs first.
  private func present(_ branch: Branch) async throws -> [TeamStore] {
    var admins: [TeamStore] = []
    var others: [TeamStore] = []
    for member in members where member.branch == branch {
      switch try await member.team.store.membership().role {
      case .admin?: admins.append(member.team)
      case nil: break
      default: others.append(member.team)
      }
    }
    return admins + others
  }

  mutating func step(_ branch: Branch) async throws {
    clock.advance(by: Int64.random(in: 1...5_000, using: &random))
    let present = try await present(branch)
    guard let one = present.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<5: try await write(one.store)
    case 5..<9: try await one.store.sync(with: relay(of: branch))
    case 9: try await asAdmin(present) { try await $0.rotateEpoch() }
    case 10 where members.count < 9: try await add(.writer, branch)
    default:
      let ids = try await present.dropFirst().last?.id
      try await asAdmin(present) { store in if let ids { try await store.removeMember(ids) } }
    }
  }

  private func asAdmin(_ present: [TeamStore], _ body: (Store) async throws -> Void) async throws {
    do {
      if let admin = present.first { try await body(admin.store) }
    } catch let error as VarveError where [.forbidden, .notFound].contains(error.code) {
      // It is no admin, or the device is none any more.
    }
  }

  private mutating func write(_ store: Store) async throws {
    count += 1
    do {
      try await store.create("Hat", ["n": .int(Int64(count))])
    } catch let error as VarveError where [.readOnly, .forbidden].contains(error.code) {
      // No epoch is in force, or the device may not write any more.
    }
  }

  private mutating func add(_ role: MemberRole, _ branch: Branch) async throws {
    let present = try await present(branch)
    guard let admin = present.first, try await admin.store.membership().role == .admin else {
      return
    }
    let new = try await TeamStore.device(clock: clock)
    try await admin.store.sync(with: relay(of: branch))
    guard try await admin.store.membership().role == .admin else { return }
    try await new.store.join(try await admin.store.invite(role))
    for one in [new, admin, new] { try await one.store.sync(with: relay(of: branch)) }
    members.append(Member(team: new, branch: branch))
  }

  /// Copies the relay, and parts the members, so that each part has an admin if there are two.
  mutating func fork() async throws {
    for member in members { try await member.team.store.sync(with: relay) }
    let copy = scratch.path("relay.varve")
    try await relay.backup(to: copy)
    restored = try await TeamStore.relay(.file(copy))
    for index in members.indices { members[index].branch = index % 2 == 0 ? .lost : .restored }
    for (branch, store) in [(Branch.lost, relay), (.restored, restored)] {
      guard let one = try await present(branch).first else { continue }
      try await asAdmin([one]) { try await $0.rotateEpoch() }
      try await one.store.sync(with: store)
    }
  }

  /// Joins the branches in the store of a member who stays one.
  mutating func join() async throws {
    for member in members { _ = try? await member.team.store.sync(with: relay(of: member.branch)) }
    for (branch, other) in [(Branch.lost, restored), (.restored, relay)].shuffled(using: &random) {
      for one in try await present(branch) {
        do {
          try await one.store.joinBranch(of: other, recoveryKey: key)
        } catch let error as VarveError where error.code == .forbidden {
          // The other branch removed this device.
          continue
        } catch let error as VarveError where error.code == .invalidArgument {
          // One of the two ordered nothing: there was no admin.
        }
        for index in members.indices { members[index].branch = .both }
        _ = try await one.store.sync(with: restored)
        return
      }
    }
  }

  mutating func heal() async throws {
    for _ in 0..<4 {
      for member in members { _ = try? await member.team.store.sync(with: restored) }
    }
  }

  func verify() async throws {
    var stores: [Store] = []
    for member in members where try await member.team.store.membership().role != nil {
      stores.append(member.team.store)
    }
    let first = try #require(stores.first)
    let expected = try await describedHats(first)
    let uncounted = try await first.uncountedCommits()
    let roles = try await restored.members().map(\.role)
    for store in stores {
      #expect(try await store.frontier() == first.frontier())
      #expect(try await describedHats(store) == expected)
      #expect(try await store.uncountedCommits() == uncounted)
      #expect(try await store.members().map(\.role) == roles)
      #expect(try await !store.membership().isHome)
      #expect(try await store.check().findings == [])
      try await store.rebuild()
      #expect(try await describedHats(store) == expected)
    }
  }
}

import Foundation
import VarveCore
import VarveStore
import VarveTestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes transactions of all kinds as fast as possible, and prints which were acknowledged.
///
/// Each transaction also increments a counter in the entity `ledger NAME`, so that a torn one is
/// detected.
struct MixedWriter {
  private let store: Store
  private let name: String
  private var random: SplitMix64
  private var ids: [EntityID] = []
  private var foreignTypes: Set<EntityType> = []

  /// Writes a number of transactions. With 0 it writes until it is killed, its parent ends, or a
  /// minute is over.
  static func run(
    _ path: String,
    name: String,
    count: Int,
    whenTold isWaiting: Bool = false
  ) async throws {
    let store = try await Store.open(path)
    let seed = name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) }
    var writer = MixedWriter(store: store, name: name, random: SplitMix64(seed: seed))
    Report.line("open")
    while isWaiting, getppid() != 1, !FileManager.default.fileExists(atPath: path + ".go") {
      try await Task.sleep(for: .milliseconds(1))
    }
    var done = 0
    let (parent, end) = (getppid(), ContinuousClock.now + .seconds(60))
    while count == 0 || done < count {
      // Without its parent, no process would kill this one.
      guard getppid() == parent, .now < end else { exit(1) }
      done += 1
      try await writer.writeOne(done)
    }
    for type in writer.foreignTypes { Report.line("saw \(type.text)") }
    try await store.close()
  }

  private mutating func writeOne(_ n: Int) async throws {
    let plan = random.next()
    var writer = self
    let (_, commit) = try await store.commit(author: name, message: "\(n)") { tx in
      try await tx.save("Ledger", id: EntityID("ledger \(writer.name)"), ["n": .int(Int64(n))])
      try await writer.write(n, plan, tx)
    }
    self = writer
    if let commit { Report.acknowledge(commit.id) }
  }

  private mutating func write(_ n: Int, _ plan: UInt64, _ tx: WriteTransaction) async throws {
    switch plan % 8 {
    case 0: try await createMany(n, 200, tx)
    case 1: try await update(20, n, tx)
    case 2: try await erase(tx)
    case 3: try await extend(n, tx)
    case 4: try await visitOthers(n, tx)
    case 5 where plan % 5 == 0: try await createLarge(n, tx)
    default: try await createMany(n, 1, tx)
    }
  }

  private mutating func createMany(_ n: Int, _ count: Int, _ tx: WriteTransaction) async throws {
    let new = try (0..<count).map { try EntityID("\(name) \(n) \($0)") }
    let rows = new.enumerated().map { index, id in
      (id, [.int(Int64(index)), .string("text \(n)"), .reference(id)] as [Value?])
    }
    if count == 1 {
      try await tx.create("Thing", id: new[0], ["number": 1, "text": "one"])
    } else {
      try await tx.create("Thing", keys: ["number", "text", "self"], rows: rows)
    }
    ids += new
  }

  private mutating func createLarge(_ n: Int, _ tx: WriteTransaction) async throws {
    let id = try EntityID("\(name) large \(n)")
    let bytes = Data((0..<40_000).map { _ in UInt8.random(in: 0...255, using: &random) })
    try await tx.create("Thing", id: id, ["bytes": .data(bytes)])
    ids.append(id)
  }

  private mutating func update(_ count: Int, _ n: Int, _ tx: WriteTransaction) async throws {
    guard !ids.isEmpty else { return }
    for _ in 0..<count {
      let id = random.pick(ids)
      guard try await tx.entity(id) != nil else { continue }
      try await tx.set(id, "number", .int(Int64(n)))
    }
  }

  private mutating func erase(_ tx: WriteTransaction) async throws {
    guard ids.count > 2 else { return }
    let (owner, owned) = (random.pick(ids), random.pick(ids))
    guard try await tx.entity(owner) != nil, try await tx.entity(owned) != nil else { return }
    try await tx.relate(owner, .owns, owned)
    try await tx.erase(owner)
  }

  /// Writes a new type and a new key.
  private mutating func extend(_ n: Int, _ tx: WriteTransaction) async throws {
    let id = try EntityID("\(name) extension \(n)")
    try await tx.create(EntityType("\(name) \(n % 20)"), id: id, [PropertyKey("key \(n)"): true])
    ids.append(id)
  }

  /// Writes to an entity that another process created.
  private mutating func visitOthers(_ n: Int, _ tx: WriteTransaction) async throws {
    for type in try await tx.types() where !type.type.text.hasPrefix(name) {
      guard type.type.text.hasPrefix("writer") else { continue }
      foreignTypes.insert(type.type)
      guard let entity = try await tx.first(Query(type.type)) else { continue }
      try await tx.set(entity.id, PropertyKey("seen by \(name)"), .int(Int64(n)))
    }
  }
}

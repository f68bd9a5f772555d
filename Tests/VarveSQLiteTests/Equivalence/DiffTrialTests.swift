import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// A state as plain values, to which a difference can be applied.
private struct PlainState: Equatable {
  struct Link: Hashable {
    let relation: Relation
    let target: EntityID
  }

  struct PlainEntity: Equatable {
    var type: EntityType
    var properties: [PropertyKey: StoredEntity.Property] = [:]
    var collections: [PropertyKey: [EntityID]] = [:]
    var links: Set<Link> = []
  }

  var entities: [EntityID: PlainEntity] = [:]

  init(_ reader: any BackendReader, keys: [PropertyKey]) async throws {
    for id in try await reader.idsInCreationOrder() {
      guard let entity = try await reader.entity(id) else { continue }
      var plain = PlainEntity(type: entity.type)
      plain.properties = entity.properties
      for key in keys where try await reader.isCollection(id, key) {
        var held: [EntityID] = []
        for element in try await reader.elements(of: id, key: key) {
          switch try await reader.status(of: element.target) {
          case .erased, .dead: break
          case .live, .unknown: held.append(element.target)
          }
        }
        plain.collections[key] = held
      }
      for edge in try await reader.edges(from: id, in: nil) where edge.relation.kind != .member {
        plain.links.insert(Link(relation: edge.relation, target: edge.target))
      }
      entities[id] = plain
    }
  }

  mutating func apply(_ difference: Difference) {
    for change in difference.added { entities[change.id] = PlainEntity(type: change.type) }
    for change in difference.added + difference.changed {
      entities[change.id]?.type = change.type
      for property in change.properties {
        entities[change.id]?.properties[property.key] = property.new
      }
      for collection in change.collections {
        entities[change.id]?.collections[collection.key] = collection.new
      }
      let gone = change.unrelated.map { Link(relation: $0.relation, target: $0.target) }
      let new = change.related.map { Link(relation: $0.relation, target: $0.target) }
      entities[change.id]?.links.subtract(gone)
      entities[change.id]?.links.formUnion(new)
    }
    for change in difference.ended { entities[change.id] = nil }
  }

  /// Where another state differs, in words.
  func difference(from other: PlainState) -> String? {
    for id in Set(entities.keys).union(other.entities.keys).sorted()
    where entities[id] != other.entities[id] {
      return
        "\(id): \(String(describing: entities[id])) and \(String(describing: other.entities[id]))"
    }
    return nil
  }
}

/// Differences over random histories.
struct DiffTrial {
  let seed: UInt64
  let stepCount: Int

  /// Plays, and compares moments; returns what a difference lacks.
  func run(_ fleet: Fleet) async throws -> String? {
    var generator = HistoryGenerator(seed: seed, forgetting: seed % 2 == 0 ? .purges : [])
    var moments: [(replica: Int, moment: Moment)] = []
    for (number, step) in generator.steps(stepCount).enumerated() {
      try await fleet.run(step)
      guard let replica = step.replica, number % 9 == 0 else { continue }
      try await moments.append((replica, .frontier(fleet.backends[replica].frontier())))
      let time = HybridTime(millisecondsSince1970: fleet.clock.now)
      moments.append((replica, .time(time.endOfMillisecond)))
    }
    let keys = generator.keys + ["members"]
    for (replica, backend) in fleet.backends.enumerated() {
      let moments = moments.filter { $0.replica == replica }.map(\.moment) + [.now]
      for (old, new) in zip(moments, moments.dropFirst()) + zip(moments, moments.reversed()) {
        guard let missing = try await missing(old, new, in: backend, keys) else { continue }
        return "seed \(seed), replica \(replica), from \(old) to \(new):\n\(missing)"
      }
    }
    return nil
  }

  private func missing(
    _ old: Moment,
    _ new: Moment,
    in backend: any Backend,
    _ keys: [PropertyKey]
  ) async throws -> String? {
    let difference = try await Store(backend: backend).diff(from: old, to: new)
    var state = try await backend.read(at: old) { try await PlainState($0, keys: keys) }
    state.apply(difference)
    let expected = try await backend.read(at: new) { try await PlainState($0, keys: keys) }
    return state.difference(from: expected)
  }
}

private func + (
  left: Zip2Sequence<[Moment], ArraySlice<Moment>>,
  right: Zip2Sequence<[Moment], [Moment]>
) -> [(Moment, Moment)] {
  left.map { ($0, $1) } + right.map { ($0, $1) }
}

@Suite("A difference between two states")
struct DiffTrialTests {
  @Test(
    arguments: 0..<12 as Range<UInt64>
  )
  func `applied to the first is the second, over random histories`(seed: UInt64) async throws {
    let missing = try await DiffTrial(seed: seed, stepCount: 40).run(try await fleet(seed))
    #expect(missing == nil, "\(missing ?? "")")
  }

  @Test(
    arguments: 200..<203 as Range<UInt64>
  )
  func `a difference between two states is the same of the reference backend`(seed: UInt64)
    async throws
  {
    let fleet = Fleet.reference(count: 3, seed: seed)
    let missing = try await DiffTrial(seed: seed, stepCount: 25).run(fleet)
    #expect(missing == nil, "\(missing ?? "")")
  }
}

private func fleet(_ seed: UInt64) async throws -> Fleet {
  let clock = TestClock()
  var backends: [any Backend] = []
  for replica in Fleet.replicas(count: 3, seed: seed) {
    backends.append(try await memoryBackend(replica, clock))
  }
  return Fleet(backends, clock: clock)
}

@Suite(
  "Soak: differences between two states",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct DiffSoakTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `soak: differences between two states applied to the first are the second`(part: UInt64)
    async throws
  {
    for seed in 1_000 + part * 20..<1_020 + part * 20 {
      let missing = try await DiffTrial(seed: seed, stepCount: 90).run(try await fleet(seed))
      #expect(missing == nil, "\(missing ?? "")")
    }
  }
}

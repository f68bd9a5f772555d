import Foundation
import Testing
import Varve

/// Value types of properties. Without `nonisolated` their conformances would belong to the main
/// actor, and no model could have them.
nonisolated struct Dim: Codable, Equatable {
  var width = 1
  var note: String?
}

nonisolated enum Finish: String, Codable { case matt, glossy }

/// An enumeration's raw values belong to no actor, whatever its declaration says.
enum Grade: Int {
  case low = 1
  case high
}

@Entity nonisolated struct Crate {
  var id = Identifier<Crate>()
  var plain = Dim()
  var optional: Dim?
  var list: [Dim] = []
  var named: [String: Dim] = [:]
  var optionalList: [Dim]?
  var lists: [[Dim]] = []
  var finish = Finish.matt
  var finishes: [Finish]?
  var grade: Grade?
}

/// The same in a struct that belongs to the main actor, with a conformance that does not.
@Entity struct Chest: Persistable {
  var id = Identifier<Chest>()
  var plain = Dim()
  var optional: Dim?
  var named: [String: Dim] = [:]
}

/// An object of the main actor may have values whose conformances belong to it.
struct Slot: Codable, Equatable { var depth = 1 }

@Entity(kind: "Cabinet") final class Cabinet {
  var plain = Slot()
  var optional: Slot?
  var list: [Slot] = []
  var named: [String: Slot]?
  init() {}
}

@Suite("Values of properties in a module of the main actor")
struct ValueTypeTests {
  private static let full = Crate(
    plain: Dim(width: 2, note: "a"),
    optional: Dim(width: 3),
    list: [Dim(width: 4), Dim(width: 5, note: "b")],
    named: ["x": Dim(width: 6)],
    optionalList: [Dim(width: 7)],
    lists: [[Dim(width: 8)], []],
    finish: .glossy,
    finishes: [.matt],
    grade: .high
  )

  @Test func `are saved, read, compared and selected off the main actor`() async throws {
    let store = try await Store.open(.inMemory)
    let crate = Self.full
    let task = Task.detached {
      try await store.save([crate, Crate()])
      var edited = crate
      edited.optional = Dim(width: 9)
      try await store.save(edited, changedFrom: crate)
      try await store.update(crate.id) { $0.set(\.list, [Dim(width: 10)]) }
      let read = try await store.require(crate.id)
      let selected = try await store.fetch(
        Crate.where { $0.grade == .high && $0.finish == .glossy }.select(\.optional, \.named)
      )
      let past = try await store.history(of: crate, \.optional).map(\.value)
      return (read, selected.map(\.0), selected.map(\.1), past)
    }
    let (read, optionals, named, past) = try await task.value
    #expect(read.plain == crate.plain && read.optional == Dim(width: 9))
    #expect(read.list == [Dim(width: 10)] && read.named == crate.named)
    #expect(read.optionalList == crate.optionalList && read.lists == crate.lists)
    #expect(read.finish == .glossy && read.finishes == [.matt] && read.grade == .high)
    #expect(optionals == [Dim(width: 9)] && named == [crate.named])
    #expect(past == [Dim(width: 9), Dim(width: 3)])
  }

  @Test func `of a struct of the main actor are saved and read off it`() async throws {
    let store = try await Store.open(.inMemory)
    var chest = Chest()
    (chest.optional, chest.named) = (Dim(width: 2), ["x": Dim(width: 3)])
    let saved = chest
    _ = try await Task.detached { try await store.save(saved) }.value
    let read = try await store.require(chest.id)
    #expect(read.optional == chest.optional && read.named == chest.named)
  }

  @Test func `of objects of the main actor may belong to it`() async throws {
    let store = try await Store.open(.inMemory)
    let objects = try await Objects(store)
    objects.register(Cabinet.self)
    let cabinet = Cabinet()
    (cabinet.optional, cabinet.list) = (Slot(depth: 2), [Slot(depth: 3)])
    cabinet.named = ["x": Slot(depth: 4)]
    try await objects.save(cabinet)
    let fresh = try await Objects(store)
    fresh.register(Cabinet.self)
    let loaded = try await fresh.load(cabinet.id, as: Cabinet.self)
    #expect(loaded.plain == Slot() && loaded.optional == Slot(depth: 2))
    #expect(loaded.list == [Slot(depth: 3)] && loaded.named == ["x": Slot(depth: 4)])
  }
}

import Foundation
import VarveCore
import VarveStore
import VarveTestSupport

extension SplitMix64 {
  /// Writes something to a store, and to the plain data beside it.
  ///
  /// - Parameter name: what new identifiers begin with.
  mutating func trialWrite(
    _ tx: WriteTransaction,
    _ state: inout PlainState,
    named name: String = "t"
  ) async throws {
    let count = state.entities.count
    switch Int.random(in: 0..<10, using: &self) {
    case 0...3 where count < 14:
      let type: EntityType = pick(["things", "things", "things", "gadgets", "holders"])
      let number = state.entities.filter { $0.id.text.hasPrefix(name) }.count
      // Erased entities are not created anew, because that would begin another life.
      var id = try EntityID("\(name)\(number)")
      while try await tx.status(of: id) != .unknown { id = try EntityID(id.text + "x") }
      var values: [PropertyKey: Value] = [:]
      for key in keys(of: type) where chance(45) { values[key] = trialValue(key, state) }
      try await tx.create(type, id: id, values)
      state.entities.append(PlainEntity(id: id, type: type, values: values))
    case 4 where count > 4:
      let index = Int.random(in: 0..<count, using: &self)
      let id = state.entities[index].id
      try await tx.erase(id)
      state.entities.remove(at: index)
      state.picks[id] = nil
    case 5 where !state.ids(of: "holders").isEmpty:
      let holder = pick(state.ids(of: "holders"))
      let targets = (0..<Int.random(in: 0...3, using: &self)).compactMap { _ in
        state.ids(of: "things").isEmpty ? nil : pick(state.ids(of: "things"))
      }
      // The old name is used only for entities that never had a value under the new one.
      let isOld = state.picks[holder] == nil && chance(60)
      let isMoved = try await tx.collection(of: holder, "choices") != nil
      try await tx.setCollection(holder, isOld || isMoved ? "choices" : "picks", to: targets)
      state.picks[holder] = targets
    case 6 where count > 0:
      let index = Int.random(in: 0..<count, using: &self)
      let key = pick(keys(of: state.entities[index].type))
      try await tx.remove(state.entities[index].id, key)
      state.entities[index].values[key] = nil
    default:
      guard count > 0 else { return }
      let index = Int.random(in: 0..<count, using: &self)
      let key = pick(keys(of: state.entities[index].type))
      let value = trialValue(key, state)
      try await tx.set(state.entities[index].id, key, value)
      state.entities[index].values[key] = value
    }
  }

  private func keys(of type: EntityType) -> [PropertyKey] {
    type == "holders" ? ["rank", "any"] : Array(TrialField.ofThing.flatMap(\.keys))
  }

  /// A value the model can read there.
  private mutating func trialValue(_ key: PropertyKey, _ state: PlainState) -> Value {
    switch key {
    case "owner", "keeper": .reference(pick(state.ids(of: "holders") + ["nobody"]))
    case "other": .reference(pick(state.ids(of: "things") + ["nobody"]))
    case "number", "rank": .int(pick([-1, 0, 1, 2]))
    case "ratio": pick([.double(0.5), 1.0, 2, .double(.nan)])
    case "day": .date(Date(timeIntervalSinceReferenceDate: pick([0, 1, 2])))
    case "flag": .bool(chance(50))
    case "blob": .data(Data(pick([[], [0], [1, 2]])))
    case "tags": .array(pick([[], ["a"], ["a", "b"]]))
    default: trialValue(state)
    }
  }
}

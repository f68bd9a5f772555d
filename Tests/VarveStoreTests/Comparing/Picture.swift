import VarveCore
import VarveStore

/// What a person sees of some entities: values, elements and relations in their order.
struct Picture: Hashable, CustomStringConvertible {
  var lines: [String] = []

  init(of state: some Reading, _ ids: [EntityID], keys: [PropertyKey]) async throws {
    for id in ids {
      guard let entity = try await state.entity(id) else {
        lines.append("\(id) is not there")
        continue
      }
      let values = entity.keys.map { "\($0.text)=\(entity[$0]?.description ?? "")" }
      lines.append("\(id) \(entity.type.text) \(values.joined(separator: " "))")
      for key in keys {
        guard let elements = try await state.collection(of: id, key) else { continue }
        lines.append("  \(key.text): \(elements.map(\.text))")
      }
      lines.append("  owns \(try await state.relatedIDs(id, .owns).map(\.text))")
      lines.append("  refers to \(try await state.relatedIDs(id, .free).map(\.text))")
      // Owners are in the order of their declaration, and an undo declares them again.
      lines.append("  owned by \(try await state.relatedIDs(id, .ownedBy).map(\.text).sorted())")
    }
  }

  var description: String { "\n" + lines.joined(separator: "\n") }
}

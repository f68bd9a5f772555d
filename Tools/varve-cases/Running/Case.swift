import VarveJSON

/// One behaviour case: operations to run in a fresh world.
struct Case: Sendable {
  let id: String
  let system: String
  let title: String
  let operations: [JSON]

  init(_ json: JSON) throws {
    guard let id = json["id"]?.stringValue else {
      throw CaseFailure.malformed("a case has no id")
    }
    self.id = id
    system = json["system"]?.stringValue ?? ""
    title = json["title"]?.stringValue ?? ""
    operations = ["given", "when", "then"].flatMap { json[$0]?.elements ?? [] }
  }

  /// Whether several branches run at once, so that one run proves little.
  var isConcurrent: Bool { operations.contains { $0["op"] == "concurrently" } }

  /// Returns the reason why the case fails, or nil if it passes.
  func failure(
    _ backend: World.Backend,
    fixtures: JSON,
    mappings: Mappings
  ) async -> CaseFailure? {
    for _ in 0..<(isConcurrent ? 8 : 1) {
      let world = World(backend, fixtures: fixtures, mappings: mappings)
      let failure = await failure(in: world)
      await world.end()
      if let failure { return failure }
    }
    return nil
  }

  private func failure(in world: World) async -> CaseFailure? {
    do {
      for operation in operations { try await world.run(operation) }
      return nil
    } catch let failure as CaseFailure {
      return failure
    } catch {
      return .failed(operation: "the case", error: "\(error)")
    }
  }
}

import Foundation
import VarveCore
import VarveJSON
import VarveReferences
import VarveStore

/// Runs the operations of a case.
extension World {
  /// The operations that are those of the operation language.
  private static let ofTheLanguage: Set<String> = [
    "create", "set", "update", "relate", "unrelate", "erase", "resolve", "get", "read", "add",
    "remove", "find", "count", "all", "interchange.export", "registerClass",
    "export", "link",
  ]

  /// Runs an operation at its time, and binds its result.
  func run(_ written: JSON) async throws {
    guard let name = written["op"]?.stringValue else {
      throw CaseFailure.malformed("an operation has no op")
    }
    try KnownFields.check(written, of: name)
    clock.advance()
    if let time = written["at"] { clock.set(try Self.milliseconds(time)) }
    if name == "concurrently" { return try await runBranches(written) }
    let operation = try filledIn(written.without(["at", "bind", "store"]))
    let storeName = written["store"]?.stringValue ?? "main"
    do {
      let result = try await result(of: name, operation, storeName)
      if let binding = written["bind"]?.stringValue {
        bind(binding, result)
      } else {
        objects.release(result)
      }
    } catch let error as VarveError where error.code != .unsupported {
      guard let binding = written["bind"]?.stringValue else {
        throw CaseFailure.failed(operation: name, error: "\(error)")
      }
      bind(binding, Self.json(error))
    }
  }

  private static func json(_ error: VarveError) -> JSON {
    let json: JSON = ["error": .string(error.code.rawValue)]
    guard let kinds = error.mismatch else { return json }
    return json.with("expected", .string(kinds.expected.text))
      .with("actual", .string(kinds.actual.text))
  }

  /// Runs branches at once.
  private func runBranches(_ operation: JSON) async throws {
    let branches = operation["branches"]?.elements ?? []
    try await withThrowingTaskGroup(of: Void.self) { group in
      for branch in branches {
        group.addTask {
          for operation in branch.elements ?? [] { try await self.run(operation) }
        }
      }
      try await group.waitForAll()
    }
  }

  private func result(of name: String, _ operation: JSON, _ storeName: String) async throws -> JSON
  {
    switch name {
    case "expect": try await expect(operation, storeName)
    case "clock": clock.set(try Self.milliseconds(operation["now"] ?? .null))
    case "reopen": try await reopen()
    case "hook": try await hook(operation, storeName)
    case "merge": try await merge(operation)
    case "observe": try await observe(operation["log"]?.stringValue ?? "", storeName)
    case "resolve" where operation["detached"] == true: return try await resolveOutside(operation)
    case "validate": return try await validate(operation, in: try await store(storeName))
    case _ where Self.recordOperations.contains(name):
      // An error is one of the record's: its binding keeps the field.
      let written = operation.with("bind", true)
      return try await runRecord(name, name == "readField" ? written : operation, storeName)
    case _ where Self.objectOperations.contains(name):
      return try await runObject(name, operation, storeName)
    case "localize": return try Self.localize(operation)
    case "import": return try await runImport(operation, storeName)
    case "interchange.import": return try await run(try document(operation), storeName)
    case "get":
      return .array(try await run(operation, storeName).elements.map(Self.withClass) ?? [])
    case _ where Self.ofTheLanguage.contains(name): return try await run(operation, storeName)
    default: throw CaseFailure.unsupported("operation \(name)")
    }
    return .null
  }

  /// Runs an operation of the language.
  private func run(_ operation: JSON, _ storeName: String) async throws -> JSON {
    let runner = OperationRunner(try await store(storeName), mappings: mappings)
    return try Self.result(of: await runner.run(operation), operation)
  }

  /// Imports a document. Records progress and diagnostics in the logs, and cancels the import as
  /// requested.
  private func runImport(_ operation: JSON, _ storeName: String) async throws -> JSON {
    let steps = ImportLog(cancelAfter: operation["cancelAfter"]?.intValue)
    let runner = OperationRunner(
      try await store(storeName),
      mappings: mappings,
      importProgress: steps.step
    )
    let plain = try document(operation).without(["progress", "cancelAfter"])
    let answer = await runner.run(plain.with("report", true))
    if let name = operation["progress"]?.stringValue {
      openLog(name)
      for step in steps.entries { log(step, to: name) }
    }
    let report = try Self.result(of: answer, operation)
    for diagnostic in report["diagnostics"]?.elements ?? [] { log(diagnostic, to: "diagnostics") }
    return report["ids"] ?? .null
  }

  /// Returns the result in an answer.
  private static func result(of answer: JSON, _ operation: JSON) throws -> JSON {
    if answer["ok"] == true { return answer["result"] ?? .null }
    let error = answer["error"]
    guard let code = error?["code"]?.stringValue.flatMap(VarveError.Code.init(rawValue:)),
      code != .unsupported
    else {
      throw CaseFailure.unsupported("operation \(operation["op"]?.stringValue ?? "")")
    }
    throw VarveError(
      code,
      error?["message"]?.stringValue ?? "",
      at: error?["at"]?.stringValue,
      remedy: error?["remedy"]?.stringValue
    )
  }

  /// Returns an import operation with the document in it: the text of a fixture, or an exported
  /// document.
  private func document(_ operation: JSON) throws -> JSON {
    guard case .object(let members) = operation else { return operation }
    return .object(
      try members.map { member in
        switch (member.name, member.value) {
        case ("fixture", .string(let name)): try fixture(name)
        case ("from", let document): JSON.Member(name: "json", value: document)
        default: member
        }
      }
    )
  }

  /// Entities of types without a class of their own come as the general one.
  private static func withClass(_ entities: [JSON]) -> [JSON] {
    entities.map { entity in
      guard case .object(let members) = entity, entity["class"] == nil else { return entity }
      return .object(members + [JSON.Member(name: "class", value: "EntityReference")])
    }
  }

  private static func milliseconds(_ json: JSON) throws -> Int64 {
    guard case .date(let date)? = try? Value(json: ["date": json]) else {
      throw CaseFailure.malformed("\(json.text) is not a time")
    }
    return Int64((date.timeIntervalSince1970 * 1_000).rounded())
  }

  private func merge(_ operation: JSON) async throws {
    guard let from = operation["from"]?.stringValue, let into = operation["into"]?.stringValue
    else { throw CaseFailure.malformed("merge needs from and into") }
    _ = try await store(into).merge(from: try await store(from))
  }

  private func resolveOutside(_ operation: JSON) async throws -> JSON {
    let isStrict = operation["mode"] == "strict"
    let ids = operation["ids"]?.elements ?? [operation["id"] ?? .null]
    var found: [JSON] = []
    for id in ids {
      let alias = Alias(
        try id.stringValue.map { try EntityID($0) },
        as: operation["as"]?.stringValue.map { EntityType($0) }
      )
      if isStrict {
        found.append(.string(try await alias.require(in: nil).id.text))
      } else if let entity = try await alias.find(in: nil) {
        found.append(.string(entity.id.text))
      }
    }
    return operation["ids"] == nil ? found.first ?? .null : .array(found)
  }

  private func hook(_ operation: JSON, _ storeName: String) async throws {
    let log = operation["log"]?.stringValue ?? ""
    let recordsOwners = operation["record"] == "owners"
    let refused = operation["throwFor"]
    openLog(log)
    try await hook(storeName) { [self] entity, state in
      let id = JSON.string(entity.id.text)
      if refused == id || refused?.elements?.contains(id) == true {
        throw VarveError(.hookRefused, "the hook refuses", at: "entity \(entity.id)")
      }
      guard recordsOwners else { return await self.log(id, to: log) }
      let owners = try await state.relatedIDs(entity.id, .ownedBy)
      let names = JSON.array(owners.map { .string($0.text) })
      await self.log(["id": id, "owners": names], to: log)
    }
  }
}

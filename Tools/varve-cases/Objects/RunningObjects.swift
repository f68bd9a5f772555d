import VarveCore
import VarveJSON
import VarveStore

/// Runs the operations on objects.
extension World {
  static let objectOperations: Set<String> = [
    "kind", "object", "setField", "save", "load", "loadAll", "access", "release", "document.delete",
    "rawDocument",
  ]

  func runObject(_ name: String, _ operation: JSON, _ storeName: String) async throws -> JSON {
    switch name {
    case "kind": try declare(operation)
    case "object": return try make(operation)
    case "setField":
      let object = try objects.object(operation["object"])
      try put(operation["value"] ?? .null, into: operation["field"]?.stringValue ?? "", of: object)
    case "save": try await context(storeName).save(objects.object(operation["object"]))
    case "load": return try await load(operation, storeName)
    case "loadAll": return try await loadAll(operation, storeName)
    case "access": return try await access(operation)
    case "release":
      for name in operation["handles"]?.elements ?? [] {
        if let name = name.stringValue { release(name) }
      }
    case "document.delete": try await delete(operation, storeName)
    default: try await write(document: operation, storeName)
    }
    return .null
  }

  /// Returns the context of a store, on this actor.
  private func context(_ storeName: String) async throws -> Objects {
    if let context = objects.contexts[storeName] { return context }
    let context = try await Objects(try await store(storeName))
    for kind in objects.registered { context.register(try ObjectWorld.type(kind)) }
    objects.contexts[storeName] = context
    return context
  }

  // MARK: Making objects

  private func declare(_ operation: JSON) throws {
    let name = operation["name"]?.stringValue ?? ""
    let type = try ObjectWorld.type(name)
    var fields: [String: String] = [:]
    if case .object(let members)? = operation["fields"] {
      for member in members { fields[member.name] = member.value.stringValue }
    }
    guard fields == type.fields else { throw CaseFailure.unsupported("fields of kind \(name)") }
    if operation["registered"] == false { return }
    objects.registered.insert(name)
    for context in objects.contexts.values { context.register(type) }
  }

  private func make(_ operation: JSON) throws -> JSON {
    guard let type = try ObjectWorld.type(operation["kind"]?.stringValue ?? "") as? CaseObject.Type
    else { throw CaseFailure.malformed("no class makes objects of the kind") }
    let id = try operation["id"]?.stringValue.map { try EntityID($0) } ?? .new()
    let object = type.init(id: id)
    if case .object(let members)? = operation["fields"] {
      for member in members { try put(member.value, into: member.name, of: object) }
    }
    return objects.handle(object)
  }

  private func put(_ value: JSON, into field: String, of object: CaseObject) throws {
    let input = objects.objectIfAny(value).map { FieldInput.object($0) } ?? .json(value)
    try object.put(input, into: field)
  }

  // MARK: Loading

  private func load(_ operation: JSON, _ storeName: String) async throws -> JSON {
    let type = try ObjectWorld.type(operation["as"]?.stringValue ?? "")
    let id = try operation["id"]?.stringValue.map { try EntityID($0) }
    return try await nothingIfUnreadable {
      objects.handle(try await load(id, as: type, try await context(storeName)))
    }
  }

  private func load<Document: CaseDocument>(
    _ id: EntityID?,
    as type: Document.Type,
    _ context: Objects
  ) async throws -> CaseObject? {
    try await context.load(id, as: type) as? CaseObject
  }

  private func loadAll(_ operation: JSON, _ storeName: String) async throws -> JSON {
    let type = try ObjectWorld.type(operation["kind"]?.stringValue ?? "")
    guard let take = operation["take"] else {
      return .array(try await loadAll(type, atMost: .max, try await context(storeName)))
    }
    guard let count = take.intValue, count >= 0 else {
      throw CaseFailure.malformed("take is a number of objects, not \(take.text)")
    }
    return .array(try await loadAll(type, atMost: count, try await context(storeName)))
  }

  /// Returns objects of a type as a sequence gives them, and ends the sequence after the given
  /// number.
  private func loadAll<Document: CaseDocument>(
    _ type: Document.Type,
    atMost count: Int,
    _ context: Objects
  ) async throws -> [JSON] {
    var handles: [JSON] = []
    var unreadable: [UnreadableRow] = []
    guard count > 0 else { return [] }
    for try await object in context.stream(type, unreadable: { unreadable.append($0) }) {
      handles.append(objects.handle(object as? CaseObject))
      if handles.count == count { break }
    }
    for row in unreadable { log(row.objectJSON, to: "unreadable") }
    return handles
  }

  private func access(_ operation: JSON) async throws -> JSON {
    let object = try objects.object(operation["object"])
    switch object.content(of: operation["field"]?.stringValue ?? "") {
    case .value(let value)?: return value?.json ?? .null
    case .object(let child)?: return objects.handle(child)
    case .link(_, let load)?:
      return try await nothingIfUnreadable { objects.handle(try await load()) }
    case nil: throw CaseFailure.malformed("no field \(operation["field"]?.text ?? "")")
    }
  }

  /// Returns null if a field is missing, which cases expect and Swift reports as an error.
  private func nothingIfUnreadable(_ body: () async throws -> JSON) async throws -> JSON {
    do {
      return try await body()
    } catch let error as VarveError where [.missingField, .fieldType].contains(error.code) {
      return .null
    }
  }

  // MARK: Documents

  private func delete(_ operation: JSON, _ storeName: String) async throws {
    let context = try await context(storeName)
    if let object = objects.objectIfAny(operation["object"]) {
      try await context.erase(object)
    } else if let text = (operation["id"] ?? operation["object"])?.stringValue {
      let id = try EntityID(text)
      guard try await !store(storeName).erase([id]).isEmpty else {
        throw VarveError(.noSuchDocument, "no object \"\(id)\" is stored", at: "entity \(id)")
      }
    }
  }

  /// Writes a document without the context. A document without a kind or without properties is
  /// stored as its text under the empty key.
  private func write(document operation: JSON, _ storeName: String) async throws {
    let id = try EntityID(operation["id"]?.stringValue ?? "")
    let document = operation["json"] ?? operation.without(["op", "id"])
    let kind = document["kind"]?.stringValue
    var properties: [PropertyKey: Value] = ["": .string(document.text)]
    if kind != nil, case .object(let members)? = document["data"] {
      properties = [:]
      for member in members where member.value != .null {
        properties[PropertyKey(member.name)] = try Value(json: member.value)
      }
    }
    let store = try await store(storeName)
    let type = EntityType(kind ?? "")
    guard try await store.entity(id)?.type == type else {
      try await store.erase([id])
      try await store.create(type, id: id, properties)
      return
    }
    try await store.save(type, id: id, properties)
  }

  // MARK: Getters

  /// Getters of objects; nil for others.
  func objectValue(of getter: JSON, _ storeName: String) async throws -> JSON? {
    if let handles = getter["same"]?.elements {
      let same = try handles.map { ObjectIdentifier(try objects.object($0)) }
      return .bool(Set(same).count == 1)
    }
    if let handle = getter["kindOf"] {
      return .string(type(of: try objects.object(handle)).kind.text)
    }
    if let handle = getter["idOf"] { return .string(try objects.object(handle).id.text) }
    if let parts = getter["field"]?.elements, parts.count == 2 {
      switch try objects.object(parts[0]).content(of: parts[1].stringValue ?? "") {
      case .value(let value)?: return value?.json ?? .null
      case .object(let child)?: return .optional(child?.id.text)
      case .link(let id, _)?: return .optional(id?.text)
      case nil: return .null
      }
    }
    if let id = getter["cached"]?.stringValue {
      return .bool(try await context(storeName).live(try EntityID(id)) != nil)
    }
    if let id = getter["stored"]?.stringValue {
      return try await store(storeName).entity(try EntityID(id))?.document ?? .null
    }
    return nil
  }
}

extension StoredEntity {
  /// The kind and the data, or the text of anything that is not an object.
  fileprivate var document: JSON {
    if let text = self[""]?.stringValue, let json = try? JSONReader.read(bytes: [UInt8](text.utf8))
    {
      return json
    }
    let data = keys.compactMap { key in
      self[key].map { value in
        JSON.Member(
          name: key.text,
          value: value.referenceValue.map { .string($0.text) } ?? value.json
        )
      }
    }
    return ["kind": .string(type.text), "data": .object(data)]
  }
}

extension UnreadableRow {
  fileprivate var objectJSON: JSON {
    let reason =
      switch reason {
      case .missing: "missing"
      case .otherKind: "type"
      case .failed(let error): error
      }
    return [
      "kind": .string(type.text), "id": .string(id.text), "field": .optional(key?.text),
      "reason": .string(reason),
    ]
  }
}

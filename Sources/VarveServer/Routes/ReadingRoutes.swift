#if Server
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import VarveCore
import VarveJSON
import VarveStore

/// What can be read of a space with a browser.
enum ReadingRoutes {
  /// Replies with what a read of the requested state returns.
  private static func read(
    _ call: Call,
    _ space: Space,
    _ body: (Snapshot) async throws -> JSON
  ) async throws -> Response {
    try await Reply.tagged(try await space.tag(), call.request) {
      let moment = try await call.moment("asOf")?.moment(in: space.store) ?? .now
      guard moment != .now else { return try await space.store.read(body) }
      return try await space.store.asOf(moment).read(body)
    }
  }

  /// `GET …/entities/{id}`
  static func entity(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow("asOf")
    let id = try call.entityID()
    return try await read(call, space) { state in
      let entity = try await state.require(id)
      guard case .object(let members) = entity.json else { preconditionFailure("is an object") }
      let relations: JSON = [
        "owns": try await state.relatedIDs(id, .owns).json,
        "ownedBy": try await state.relatedIDs(id, .ownedBy).json,
        "free": try await state.relatedIDs(id, .free).json,
      ]
      return .object(members + [JSON.Member(name: "relations", value: relations)])
    }
  }

  /// `GET …/entities/{id}/history`
  static func history(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow("asOf", "key", "limit")
    let id = try call.entityID()
    let limit = try call.limit()
    let key = call.parameter("key").map { PropertyKey($0) }
    return try await read(call, space) { state in
      let versions = try await state.history(of: id, key, limit: limit)
      if versions.isEmpty, try await state.status(of: id) == .unknown {
        _ = try await state.require(id)
      }
      return ["items": .array(versions.map(\.json))]
    }
  }

  /// `GET …/entities/{id}/values/{key}`: a text or data as it is, in parts if they are asked for.
  static func value(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow("asOf")
    let (id, key) = (try call.entityID(), PropertyKey(try call.part("key")))
    let moment = try await call.moment("asOf")?.moment(in: space.store) ?? .now
    let value = try await space.store.asOf(moment).read { try await $0.require(id)[key] }
    return try ByteRange.reply(to: call.request, with: value, of: id, key)
  }

  /// `GET …/types`
  static func types(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow("asOf")
    return try await read(call, space) { state in
      let types = try await state.types().map { type -> JSON in
        ["type": .string(type.type.text), "count": .count(type.count)]
      }
      return ["items": .array(types)]
    }
  }

  /// `GET …/types/{type}`: `where` is a condition of the operation `query`, and `order` lists keys.
  static func entities(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow("asOf", "cursor", "limit", "where", "order")
    let type = JSON.string(try call.part("type"))
    var condition: JSON?
    if let text = call.parameter("where") { condition = try json(text, "where") }
    let order = call.parameter("order").map { text in
      JSON.array(text.split(separator: ",").map { .string(String($0)) })
    }
    let list =
      ["types", try call.part("type")] + ["where", "order"].map { call.parameter($0) ?? "" }
    return try await page(call, space, of: list) { state, limit, offset in
      var members: [JSON.Member] = [
        JSON.Member(name: "op", value: "query"), JSON.Member(name: "type", value: type),
        JSON.Member(name: "limit", value: .count(limit)),
        JSON.Member(name: "offset", value: .count(offset)),
      ]
      if let condition { members.append(JSON.Member(name: "where", value: condition)) }
      if let order { members.append(JSON.Member(name: "order", value: order)) }
      let result = try await ReadingRequest(.object(members)).read(state)
      guard case .array(let entities) = result else { return [] }
      return entities
    }
  }

  /// `GET …/log`
  static func log(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow("asOf", "cursor", "limit")
    return try await page(call, space, of: ["log"]) { state, limit, offset in
      try await state.log(limit: limit, offset: offset).map(\.json)
    }
  }

  private static func page(
    _ call: Call,
    _ space: Space,
    of list: [String],
    _ read: (any Reading, Int, Int) async throws -> [JSON]
  ) async throws -> Response {
    try await Reply.tagged(try await space.tag(), call.request) {
      try await PageRequest(call, space.store, of: [space.id.text] + list).page(read)
    }
  }

  /// `GET …/diff?from=&to=`
  static func diff(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow("from", "to")
    guard let from = try call.moment("from") else {
      throw VarveError(
        .invalidArgument,
        "a difference needs the first state",
        at: "query, from",
        remedy: "Write it as \(MomentName.forms)."
      )
    }
    let to = try call.moment("to") ?? .now
    return try await Reply.tagged(try await space.tag(), call.request) {
      let (old, new) = (
        try await from.moment(in: space.store), try await to.moment(in: space.store)
      )
      return try await space.store.diff(from: old, to: new).json
    }
  }

  /// `GET …/conflicts`
  static func conflicts(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow("asOf")
    return try await Reply.tagged(try await space.tag(), call.request) {
      let moment = try await call.moment("asOf")?.moment(in: space.store) ?? .now
      let conflicts = try await space.store.asOf(moment).conflicts()
      return ["items": .array(conflicts.map(\.json))]
    }
  }

  /// `GET …/issues?unique=Type.key,key&list=Type.key`
  static func issues(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow("asOf", repeated: "unique", "list")
    let uniques = try call.parameters("unique").map { text -> (EntityType, [PropertyKey]) in
      let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      let keys = parts.count == 2 ? parts[1].split(separator: ",") : []
      guard !parts[0].isEmpty, !keys.isEmpty else {
        throw VarveError(
          .invalidArgument,
          "unique keys are expected",
          at: "query, unique",
          remedy: "Write Type.key or Type.key,key."
        )
      }
      return (EntityType(String(parts[0])), keys.map { PropertyKey(String($0)) })
    }
    let lists = try call.parameters("list").map { text -> (EntityType, PropertyKey) in
      let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw VarveError(
          .invalidArgument,
          "a list is expected",
          at: "query, list",
          remedy: "Write Type.key."
        )
      }
      return (EntityType(parts[0]), PropertyKey(parts[1]))
    }
    return try await read(call, space) { state in
      var issues: [StoreIssue] = []
      for (type, keys) in uniques {
        issues += try await state.duplicates(of: type, keys: keys).map { .duplicate($0) }
      }
      for (type, key) in lists {
        issues += try await state.repetitions(of: type, key: key).map { .repetition($0) }
      }
      issues += try await state.ownerlessCycles().map { .ownerlessCycle($0) }
      issues += try await state.disagreements().map { .disagreement($0) }
      return ["items": .array(issues.map(\.json))]
    }
  }

  private static func json(_ text: String, _ name: String) throws -> JSON {
    do {
      return try JSONReader.read(text)
    } catch {
      throw VarveError(
        .invalidJSON,
        error.message,
        at: "query, \(name), \(error.position)",
        remedy: "Write a JSON document, percent-encoded."
      )
    }
  }
}
#endif

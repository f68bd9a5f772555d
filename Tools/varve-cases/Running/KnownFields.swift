import VarveJSON

/// The fields of the operations and getters. The operations of the operation language refuse
/// unknown fields themselves.
enum KnownFields {
  /// The fields of any operation.
  private static let common: Set<String> = ["op", "at", "bind", "store"]

  /// The other fields of the runner's own operations.
  private static let ofOperations: [String: Set<String>] = [
    "clock": ["now"],
    "reopen": [],
    "concurrently": ["branches"],
    "expect": ["that", "is", "unordered", "contains", "lacksKeys", "not", "startsWith"],
    "hook": ["log", "record", "throwFor"],
    "merge": ["from", "into"],
    "observe": ["log"],
    "resolve": ["id", "ids", "as", "mode", "detached"],
    "validate": ["model", "checks"],
    "localize": ["error", "messages", "locale"],
    "import": [
      "mapping", "json", "text", "lines", "fixture", "pointer", "keyedBy", "policy", "override",
      "defaults", "progress", "cancelAfter", "author", "message", "rules", "dryRun",
    ],
    "interchange.import": ["fixture", "text", "json", "from", "author", "message"],
    "kind": ["name", "parent", "fields", "registered"],
    "object": ["id", "kind", "fields"],
    "setField": ["object", "field", "value"],
    "save": ["object"],
    "load": ["id", "as"],
    "loadAll": ["kind", "take"],
    "access": ["object", "field"],
    "release": ["handles"],
    "document.delete": ["object", "id", "kind", "as"],
    "rawDocument": ["id", "kind", "data", "json"],
    "table": ["name", "model", "columns", "required", "loose"],
    "row": ["table", "values"],
    "record.save": ["model", "id", "values", "failWith"],
    "record.destroy": ["model", "id"],
    "record.equal": ["a", "b"],
    "foreignKeyName": ["model"],
    "defquery": ["name", "spec", "from", "steps"],
    "query": ["model", "from", "steps", "run", "use"],
    "readField": ["row", "field", "as"],
  ]

  /// The fields of a getter, besides its name.
  private static let ofGetters: [String: Set<String>] = [
    "rel": ["ofType", "where", "first"],
    "refs": ["show"],
  ]

  /// Throws `unsupported` for an operation that has an unknown field.
  static func check(_ operation: JSON, of name: String) throws {
    guard let known = ofOperations[name] else { return }
    try check(operation, known.union(common), "operation \(name)")
    if name == "expect", let getter = operation["that"] { try check(getter: getter) }
  }

  private static func check(getter: JSON) throws {
    guard case .object(let members) = getter else { return }
    if let inner = getter["len"] { try check(getter: inner) }
    let extra = members.compactMap { ofGetters[$0.name] }
    guard members.count > 1 else { return }
    var known = extra.reduce(into: Set(["store"])) { $0.formUnion($1) }
    // One of the members is the getter itself.
    if let name = members.first(where: { !known.contains($0.name) })?.name { known.insert(name) }
    try check(getter, known, "a getter")
  }

  private static func check(_ json: JSON, _ known: Set<String>, _ place: String) throws {
    guard case .object(let members) = json,
      let unknown = members.first(where: { !known.contains($0.name) })
    else { return }
    throw CaseFailure.unsupported("the field \(unknown.name) of \(place)")
  }
}

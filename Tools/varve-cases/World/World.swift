import Foundation
import VarveCore
import VarveJSON
import VarvePostgres
import VarveStore

/// The environment of one case: stores, a clock, bound values and logs.
actor World {
  /// The storage of the stores.
  enum Backend {
    case memory
    case sqlite
    /// Spaces of a database, which is a home, with indexes in files.
    case postgres(url: String)

    init?(_ kind: String, home: String?) {
      switch (kind, home) {
      case ("memory", nil): self = .memory
      case ("sqlite", nil): self = .sqlite
      case ("postgres", let home?): self = .postgres(url: home)
      default: return nil
      }
    }
  }

  /// 2020-01-01T00:00:00Z.
  private static let start: Int64 = 1_577_836_800_000

  let clock = Clock(millisecondsSince1970: start)
  private let backend: Backend
  private let folder: URL
  /// The documents cases may name.
  private let fixtures: JSON
  /// The mappings imports and exports may name.
  let mappings: Mappings
  private var stores: [String: Store] = [:]
  private var home: PostgresHome?
  private var bindings: [String: JSON] = [:]
  private var logs: [String: [JSON]] = ["diagnostics": [], "unreadable": []]
  private var hooks: [(store: String, hook: ErasureHook)] = []
  /// The tables of cases, by name.
  var tables: [String: JSON] = [:]
  /// The queries cases named.
  var queries: [String: RecordQuery] = [:]
  /// The last integer each model has given.
  var nextNumbers: [String: Int] = [:]
  /// Live objects.
  var objects = ObjectWorld()
  var observations: [(store: String, log: String, changes: ChangeSequence)] = []

  init(_ backend: Backend, fixtures: JSON, mappings: Mappings) {
    self.backend = backend
    self.mappings = mappings
    self.fixtures = fixtures
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-cases-\(UUID().uuidString)")
  }

  /// Returns a store by name, created on first use.
  func store(_ name: String) async throws -> Store {
    if let store = stores[name] { return store }
    let store = try await open(name)
    // Another branch may have been faster.
    if let earlier = stores[name] {
      try await store.close()
      return earlier
    }
    stores[name] = store
    return store
  }

  private func open(_ name: String) async throws -> Store {
    var configuration = Store.Configuration()
    configuration.wallMilliseconds = { [clock] in clock.now }
    if case .memory = backend {
      return try await Store.open(.inMemory, configuration: configuration)
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("\(stores.count)-\(name).varve").path
    return try await open(name, in: file, configuration)
  }

  /// Opens a store in a file, or the index of a space in it.
  private func open(
    _ name: String,
    in file: String,
    _ configuration: Store.Configuration
  ) async throws -> Store {
    guard case .postgres(let url) = backend else {
      return try await Store.open(file, configuration: configuration)
    }
    let home = try await opened(url)
    return try await Store.open(
      .space("\(folder.lastPathComponent) \(name)", at: home, index: .file(file)),
      configuration: configuration
    )
  }

  /// The home, whose time is that of this world.
  private func opened(_ url: String) async throws -> PostgresHome {
    if let home { return home }
    var configuration = PostgresHome.Configuration()
    configuration.wall = { [clock] _ in HybridTime(millisecondsSince1970: clock.now) }
    let opened = try await PostgresHome(url, configuration: configuration)
    // Another branch may have been faster.
    if let home {
      await opened.close()
      return home
    }
    home = opened
    return opened
  }

  /// Closes and opens the stores that are files; those in memory would be lost.
  func reopen() async throws {
    if case .memory = backend { return }
    var configuration = Store.Configuration()
    configuration.wallMilliseconds = { [clock] in clock.now }
    // Contexts belong to the stores that are closed.
    objects.contexts = [:]
    for (index, name) in stores.keys.sorted().enumerated() {
      try await stores[name]?.close()
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      guard let file = files.first(where: { $0.hasSuffix("-\(name).varve") }) else {
        throw VarveError(.notFound, "the file of store \(index) is gone")
      }
      let path = folder.appendingPathComponent(file).path
      let store = try await open(name, in: path, configuration)
      for (owner, hook) in hooks where owner == name { store.willErase(hook) }
      stores[name] = store
      try await observeAgain(store, name)
    }
  }

  /// Ends the world.
  func end() async {
    objects = ObjectWorld()
    for store in stores.values { try? await store.close() }
    await home?.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Returns a document by name, in the form of an operation's member.
  func fixture(_ name: String) throws -> JSON.Member {
    guard let fixture = fixtures[name] else {
      throw CaseFailure.malformed("there is no fixture \(name)")
    }
    if let text = fixture["raw"] { return JSON.Member(name: "text", value: text) }
    return JSON.Member(name: "json", value: fixture["value"] ?? .null)
  }

  // MARK: What is remembered

  func bind(_ name: String, _ result: JSON) {
    release(name)
    bindings[name] = result
  }

  /// Forgets a binding, and lets go of the objects in it.
  func release(_ name: String) {
    if let former = bindings.removeValue(forKey: name) { objects.release(former) }
  }

  /// Returns the value at `name.path.0.key`, or null if there is no such part.
  func bound(_ path: String) throws -> JSON {
    var steps = path.split(separator: ".").map(String.init)[...]
    guard let name = steps.popFirst(), var json = bindings[name] else {
      throw CaseFailure.malformed("nothing is bound to \(path)")
    }
    for step in steps {
      if case .array(let elements) = json {
        guard let index = Int(step), elements.indices.contains(index) else { return .null }
        json = elements[index]
      } else {
        json = json[step] ?? .null
      }
    }
    return json
  }

  /// Returns the document with bound values in place of `"$name"` and `"$name.path"`.
  func filledIn(_ json: JSON) throws -> JSON {
    switch json {
    case .string(let text) where text.hasPrefix("$"): return try bound(String(text.dropFirst()))
    case .array(let elements): return .array(try elements.map { try filledIn($0) })
    case .object(let members):
      return .object(
        try members.map { JSON.Member(name: $0.name, value: try filledIn($0.value)) }
      )
    default: return json
    }
  }

  func openLog(_ name: String) { logs[name] = [] }

  func log(_ entry: JSON, to name: String) { logs[name, default: []].append(entry) }

  func log(named name: String) throws -> JSON {
    writeObservations()
    guard let entries = logs[name] else { throw CaseFailure.unsupported("log \(name)") }
    return .array(entries)
  }

  /// Observes erasures of a store.
  func hook(_ name: String, _ hook: @escaping ErasureHook) async throws {
    try await store(name).willErase(hook)
    hooks.append((name, hook))
  }
}

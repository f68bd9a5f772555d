import Foundation
import VarveCore
import VarveStore

/// `registerMappings`: adds the mappings of a mapping file to those that `import` and `export` use.
/// Returns their names.
struct RegisterMappingsOperation: MappingOperation {
  static let name = "registerMappings"
  private let mappings: Mappings

  init(_ fields: inout Fields) throws {
    let file = try fields.need("file")
    mappings = try file.convert { try Mappings(json: $0) }
  }

  func run(_ store: Store, _ context: MappingContext) async throws -> JSON {
    context.registry.add(mappings)
    return .array(mappings.names.map(JSON.string))
  }
}

/// The choice of mappings in an `import` or `export`.
private struct MappingInput: Sendable {
  /// The name of a mapping; nil for the roots of the mappings.
  let name: String?
  private let override: Part?
  private let defaults: Part?

  init(_ fields: inout Fields) throws {
    name = try fields.take("mapping")?.string()
    override = fields.take("override")
    defaults = fields.take("defaults")
  }

  /// Returns the registered mappings with the choice of the operation.
  func mappings(_ registry: MappingRegistry) throws -> Mappings {
    var mappings = registry.present
    if let override { try mappings.override(override) }
    if let defaults {
      mappings.defaults.merge(try defaults.transformsByKind(mappings.transforms)) { $1 }
    }
    return mappings
  }
}

/// `import`: imports a document by mappings, given as `json`, as `text`, or as `lines` of JSON
/// Lines. Returns the identifiers of the top-level objects, or with `report` or `dryRun` a report.
struct ImportOperation: MappingOperation {
  static let name = "import"
  static let isSigned = true
  private let input: MappingInput
  private let document: JSON?
  private let text: String?
  /// The format of the text.
  private let format: DocumentSource.Format
  private var options = ImportOptions()
  private let isReport: Bool

  init(_ fields: inout Fields) throws {
    input = try MappingInput(&fields)
    let text = try fields.take("text")?.string()
    let lines = try fields.take("lines")?.string()
    document = fields.take("json")?.json
    guard [text != nil, lines != nil, document != nil].count(where: \.self) == 1 else {
      throw Misfit("an import has one of \"json\", \"text\" and \"lines\"", at: fields.path)
    }
    self.text = text ?? lines
    format = lines == nil ? .json : .jsonLines
    let pointer = try fields.take("pointer")?.string() ?? ""
    let keyedBy = try fields.take("keyedBy")?.string()
    if let name = input.name {
      options.roots = [Mappings.Root(at: pointer, as: name, keyedBy: keyedBy)]
    }
    for (name, part) in try fields.take("policy")?.members() ?? [] {
      guard let policy = RelationPolicy(rawValue: try part.string()) else {
        throw Misfit("one of assign, merge, replace is expected", at: part.path)
      }
      options.policies[name] = policy
    }
    options.isDryRun = try fields.flag("dryRun")
    isReport = try fields.flag("report", default: options.isDryRun)
    options.time = try fields.take("at")?.date()
    options.rules = try fields.choice("rules", default: .report)
  }

  func run(_ store: Store, _ context: MappingContext) async throws -> JSON {
    var options = options
    options.author = context.signature.author
    options.message = context.signature.message
    let mappings = try input.mappings(context.registry)
    let report: ImportReport
    if let text {
      var source = DocumentSource(text: text)
      source.format = format
      report = try await store.import(source, by: mappings, options, progress: context.progress)
    } else {
      let json = document ?? .null
      report = try await store.import(json, by: mappings, options, progress: context.progress)
    }
    return isReport ? report.json(withChanges: options.isDryRun) : report.ids.json
  }
}

/// `export`: returns entities as the objects of a mapping.
struct ExportOperation: MappingOperation {
  static let name = "export"
  private let input: MappingInput
  private let name: String
  private let places: [Place]
  private let excluded: Set<String>
  private let moment: MomentName

  init(_ fields: inout Fields) throws {
    let path = fields.path
    input = try MappingInput(&fields)
    guard let name = input.name else {
      throw Misfit("an export has no \"mapping\"", at: path)
    }
    self.name = name
    places = try fields.need("of").elements().map { try Place($0) }
    excluded = Set(try fields.take("exclude")?.elements().map { try $0.string() } ?? [])
    moment = try fields.take("asOf")?.moment() ?? .now
  }

  func run(_ store: Store, _ context: MappingContext) async throws -> JSON {
    let mappings = try input.mappings(context.registry)
    return try await store.asOf(moment.moment(in: store)).read { state in
      var ids: [EntityID] = []
      for place in places { ids.append(try await place.id(in: state)) }
      let objects = try await state.objects(of: ids, as: name, by: mappings) {
        [excluded] in !excluded.contains($0)
      }
      return .array(objects)
    }
  }
}

/// `link`: sets a relation as an import would. Returns whether anything was written.
struct LinkOperation: WritingOperation {
  static let name = "link"
  private let place: Place
  private let key: PropertyKey
  private let many: CollectionKind?
  private let targets: [Place]

  init(_ fields: inout Fields) throws {
    place = try Place(fields.need("id"))
    key = PropertyKey(try fields.need("property").string())
    if let many = fields.take("many") {
      guard let kind = CollectionKind(rawValue: try many.string()) else {
        throw Misfit("one of list, orderedSet, set is expected", at: many.path)
      }
      self.many = kind
    } else {
      many = nil
    }
    let to = try fields.need("to")
    targets = try to.elements().map { try Place($0) }
    guard many != nil || targets.count <= 1 else {
      throw Misfit("a to-one relation has at most one target", at: to.path)
    }
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let id = try await place.id(in: transaction)
    var ids: [EntityID] = []
    for target in targets { ids.append(try await target.id(in: transaction)) }
    guard let many else {
      return .bool(try await transaction.setReference(id, key, to: ids.first, at: time))
    }
    return .bool(try await transaction.setCollection(id, key, to: ids, as: many, at: time))
  }
}

extension ImportReport {
  /// Returns the report as JSON.
  package func json(withChanges: Bool) -> JSON {
    var members: [JSON.Member] = [
      JSON.Member(name: "ids", value: ids.json),
      JSON.Member(name: "created", value: .count(createdCount)),
      JSON.Member(name: "changed", value: .count(changedCount)),
      JSON.Member(name: "unchanged", value: .count(unchangedCount)),
      JSON.Member(name: "ended", value: .count(endedCount)),
      JSON.Member(name: "stubs", value: .count(stubCount)),
      JSON.Member(name: "diagnostics", value: .array(diagnostics.map(\.json))),
      JSON.Member(name: "diagnosticCount", value: .count(diagnosticCount)),
    ]
    if !notes.isEmpty {
      members.append(JSON.Member(name: "notes", value: .array(notes.map(\.json))))
    }
    if withChanges {
      members.append(JSON.Member(name: "changes", value: .array(changes.map(\.json))))
    }
    return .object(members)
  }
}

extension ImportReport.Diagnostic {
  /// The diagnostic as JSON.
  package var json: JSON { ["pointer": .string(pointer), "reason": .string(reason)] }
}

extension ImportReport.Change {
  /// The change as JSON.
  package var json: JSON {
    let properties = properties.sorted { $0.key < $1.key }.map { key, values in
      JSON.Member(
        name: key.text,
        value: ["old": values.old?.json ?? .null, "new": values.new?.json ?? .null]
      )
    }
    let collections = collections.sorted { $0.key < $1.key }.map { key, elements in
      JSON.Member(
        name: key.text,
        value: ["old": elements.old?.json ?? .null, "new": elements.new?.json ?? .null]
      )
    }
    return [
      "id": .string(id.text), "type": .string(type.text), "change": .string(kind.rawValue),
      "properties": .object(properties), "collections": .object(collections),
      "relations": .array(relations.sorted().map { .string($0.text) }),
    ]
  }
}

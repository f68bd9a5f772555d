import VarveCore
import VarveReferences
import VarveStore

/// A reference in an operation.
///
/// `"identifier" | {"identifier": x} | {"key": k, "equals": v} | {"anyOf": [REF, …]}`, with
/// `createAs`, `prototype`, `with` and `withKeyed`, or with `custom`, the name of a class.
struct Reference: Sendable {
  /// The search for an entity.
  private indirect enum Matcher: Sendable {
    case id(EntityID)
    case value(PropertyKey, Value)
    case any([Reference])
  }

  private let matcher: Matcher?
  /// The class of the entity found or created.
  private let custom: String?
  /// The type of the entity to create if none is found; nil if none is to be created.
  private let createAs: EntityType?
  private let prototype: String?
  private let initial: [PropertyInput]

  init(_ field: Part) throws {
    if case .string = field.json {
      matcher = .id(try field.id())
      (custom, createAs, prototype, initial) = (nil, nil, nil, [])
      return
    }
    var fields = try Fields(field, of: "a reference")
    self = try Reference(&fields)
    try fields.finish()
  }

  /// Reads a reference's own fields; others may follow.
  init(_ fields: inout Fields) throws {
    custom = try fields.take("custom")?.string()
    matcher = try Self.matcher(&fields)
    createAs = try fields.take("createAs").map { EntityType(try $0.name()) }
    prototype = try fields.take("prototype")?.string()
    let plain = try fields.take("with").map { try PropertyInput.list($0) } ?? []
    let keyed = try fields.take("withKeyed").map { try PropertyInput.keyed($0) } ?? []
    initial = plain + keyed
    guard matcher != nil || createAs != nil || custom != nil else {
      throw Misfit(
        "a reference has no search and creates nothing",
        at: fields.path,
        remedy: "Write identifier, key and equals, anyOf, or createAs."
      )
    }
  }

  private static func matcher(_ fields: inout Fields) throws -> Matcher? {
    if let id = fields.take("identifier") { return .id(try id.id()) }
    if let key = fields.take("key") {
      let value = try fields.need("equals").value()
      return .value(PropertyKey(try key.string()), value)
    }
    guard let several = fields.take("anyOf") else { return nil }
    return .any(try several.elements().map { try Reference($0) })
  }

  /// Whether resolving the reference may create an entity.
  var mayCreate: Bool {
    if createAs != nil || custom != nil { return true }
    if case .any(let references)? = matcher { return references.contains(where: \.mayCreate) }
    return false
  }

  /// Returns the reference for a store with these classes.
  ///
  /// - Throws: `VarveError` with code `unregisteredKind` if it names a class that is not
  ///   registered.
  func reference(_ classes: ReferenceClasses) throws -> EntityReference {
    var reference =
      switch matcher {
      case nil: EntityReference.null
      case .id(let id): EntityReference(id)
      case .value(let key, let value): EntityReference(key, equals: value)
      case .any(let references):
        EntityReference.anyOf(try references.map { try $0.reference(classes) })
      }
    var type = createAs
    if let custom {
      guard let registered = classes.type(named: custom) else {
        throw VarveError(
          .unregisteredKind,
          "no class \"\(custom)\" is registered",
          at: "class \"\(custom)\"",
          remedy: "Register it with registerClass."
        )
      }
      reference = reference.expecting(registered)
      type = createAs ?? registered
    }
    guard let type else { return reference }
    return reference.creating(type, prototype: prototype, try initial.properties(classes))
  }
}

extension [Reference] {
  /// Returns the references for a store with these classes.
  func references(_ classes: ReferenceClasses) throws -> [EntityReference] {
    try map { try $0.reference(classes) }
  }
}

extension Reading {
  /// The classes of the store that is read.
  var classes: ReferenceClasses { get async throws { try await reading { $0.classes } } }
}

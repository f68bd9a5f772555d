import VarveCore

/// What one object of a document says of an entity, before anybody looks which.
final class Draft {
  /// What is said of one property.
  enum Slot {
    case untouched
    case cleared
    case value(Value)
  }

  /// What is said of one relation: its targets, in order; none for null.
  struct Targets {
    let link: Int
    let isNull: Bool
    let drafts: [Draft]
  }

  let mapping: CompiledMapping
  let path: DocumentPath
  /// Whether there is only an identifying value.
  let isStub: Bool
  var naturalKey: NaturalKey?
  /// For each key of the mapping.
  var slots: [Slot]
  var targets: [Targets] = []

  init(_ mapping: CompiledMapping, at path: DocumentPath, isStub: Bool) {
    self.mapping = mapping
    self.path = path
    self.isStub = isStub
    slots = Array(repeating: .untouched, count: mapping.keys.count)
  }
}

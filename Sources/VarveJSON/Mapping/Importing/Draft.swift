import VarveCore

/// The content of one object of a document, before its entity is looked up.
final class Draft {
  /// The content of one relation: its targets, in order; none for null.
  struct Targets {
    let link: Int
    let isNull: Bool
    let drafts: [Draft]
  }

  let mapping: CompiledMapping
  let path: DocumentPath
  /// Whether the object has only an identifying value.
  let isStub: Bool
  var naturalKey: NaturalKey?
  /// The entity, once it has been found.
  var subject: Subject?
  /// The previous draft with the same key.
  var former: Draft?
  /// The value to set for each key of the mapping, if any.
  private(set) var values: [Value?]
  /// The properties to remove, as indices of keys; each once.
  private(set) var cleared: [Int] = []
  var targets: [Targets] = []

  /// The changes of properties, by indices of keys: the value, or nil to remove it.
  var said: [(index: Int, value: Value?)] {
    values.enumerated().compactMap { index, value in value.map { (index, $0) } }
      + cleared.map { ($0, nil) }
  }

  init(_ mapping: CompiledMapping, at path: DocumentPath, isStub: Bool) {
    self.mapping = mapping
    self.path = path
    self.isStub = isStub
    values = Array(repeating: nil, count: mapping.keys.count)
    if !isStub, mapping.mapping.clearsMissing { cleared = mapping.attributeIndices }
  }

  func set(_ value: Value, at index: Int) {
    values[index] = value
    if !cleared.isEmpty { cleared.removeAll { $0 == index } }
  }

  func clear(at index: Int) {
    values[index] = nil
    if !cleared.contains(index) { cleared.append(index) }
  }

  /// Leaves a property unchanged.
  func leave(_ index: Int) {
    values[index] = nil
    if !cleared.isEmpty { cleared.removeAll { $0 == index } }
  }
}

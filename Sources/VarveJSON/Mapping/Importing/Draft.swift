import VarveCore

/// What one object of a document says of an entity, before anybody looks which.
final class Draft {
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
  /// The entity it is about, once that was found out.
  var subject: Subject?
  /// The draft before it with the same key.
  var former: Draft?
  /// For each key of the mapping, the value that is set.
  private(set) var values: [Value?]
  /// The properties that are removed, as numbers of keys; each once.
  private(set) var cleared: [Int] = []
  var targets: [Targets] = []

  /// What is said of properties, as numbers of keys: the value, or nil where it is removed.
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

  /// Leaves a property as it is.
  func leave(_ index: Int) {
    values[index] = nil
    if !cleared.isEmpty { cleared.removeAll { $0 == index } }
  }
}

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
  /// The values of all drafts of the part.
  private let table: DraftValues
  /// The places of its values: for each key of the mapping the one to set, if any.
  let places: Range<Int>
  /// The properties to remove, as indices of keys; each once.
  private(set) var cleared: [Int] = []
  var targets: [Targets] = []

  /// The changes of properties, by indices of keys: the value, or nil to remove it.
  var said: [(index: Int, value: Value?)] {
    (0..<places.count).compactMap { index in self[index].map { (index, $0) } }
      + cleared.map { ($0, nil) }
  }

  /// The values of all drafts of the part, once it has been read.
  var values: PackedValues { table.values }

  /// The value to set for a key of the mapping, by its index.
  subscript(index: Int) -> Value? { table.values[places.lowerBound + index] }

  init(
    _ mapping: CompiledMapping,
    at path: DocumentPath,
    isStub: Bool,
    _ places: Range<Int>,
    of table: DraftValues
  ) {
    self.table = table
    self.places = places
    self.mapping = mapping
    self.path = path
    self.isStub = isStub
    if !isStub, mapping.mapping.clearsMissing { cleared = mapping.attributeIndices }
  }

  /// Records that a property is to be removed.
  func clear(_ index: Int) {
    if !cleared.contains(index) { cleared.append(index) }
  }

  /// Records that a property is not to be removed.
  func keep(_ index: Int) {
    if !cleared.isEmpty { cleared.removeAll { $0 == index } }
  }
}

/// The values of all drafts of a part, in flat memory.
///
/// While the part is read, the reader has them: it changes them without checks for overlapping
/// accesses.
final class DraftValues {
  fileprivate(set) var values = PackedValues()

  func fill(_ values: PackedValues) { self.values = values }
}

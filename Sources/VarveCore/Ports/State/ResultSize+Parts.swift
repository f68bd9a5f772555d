/// About as many bytes as what is read needs in a result.
extension ResultSize {
  /// What an entry needs beside its texts and data.
  private static let entryByteCount = 64

  /// Counts an identifier.
  package mutating func add(_ id: EntityID) throws {
    try add(Self.size(of: id))
  }

  /// Counts an entity.
  package mutating func add(_ entity: StoredEntity) throws {
    guard isBounded else { return }
    let values = entity.values.reduce(0) { $0 + Self.size(of: $1) }
    let others = entity.others.values.reduce(0) { $0 + Self.size(of: $1.value) }
    try add(Self.size(of: entity.id) + values + others)
  }

  /// Counts values by key.
  package mutating func add(_ properties: [PropertyKey: StoredEntity.Property]) throws {
    guard isBounded else { return }
    try add(properties.reduce(Self.entryByteCount) { $0 + Self.size(of: $1.value.value) })
  }

  /// Counts a row of values.
  package mutating func add(_ values: [Value?]) throws {
    guard isBounded else { return }
    try add(values.reduce(Self.entryByteCount) { $0 + Self.size(of: $1) })
  }

  /// Counts a cell of a history, which a result lists with its commit.
  package mutating func add(_ content: Cell.Content, of commit: CommitSummary) throws {
    guard isBounded else { return }
    try add(Self.size(of: content.value) + Self.size(of: commit))
  }

  /// Counts a commit.
  package mutating func add(_ commit: CommitSummary) throws {
    try add(Self.size(of: commit))
  }

  private static func size(of id: EntityID) -> Int {
    guard case .text(let text) = id.storage else { return entryByteCount }
    return entryByteCount / 2 + text.utf8.count
  }

  private static func size(of value: Value?) -> Int {
    16 + (value?.byteCountEstimate() ?? 0)
  }

  private static func size(of commit: CommitSummary) -> Int {
    entryByteCount * 2 + (commit.author?.utf8.count ?? 0) + (commit.message?.utf8.count ?? 0)
  }
}

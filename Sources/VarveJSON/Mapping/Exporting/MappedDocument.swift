import VarveCore
public import VarveStore

extension Snapshot {
  /// Writes a document of all live entities of the types that the mappings' roots name, each where
  /// its root says, in creation order: one that an import by the same mappings reads again.
  ///
  /// The document is written as a stream. See ``Reading/objects(of:as:by:including:)``.
  ///
  /// - Parameters:
  ///   - mappings: what entities become, and where they stand.
  ///   - isWanted: whether the relation of a JSON key is written; asked at every depth.
  ///   - progress: told after each object.
  ///   - write: takes the bytes, about 128 KiB at a time.
  /// - Returns: how much was written.
  /// - Throws: what `write` throws; ``VarveError``: `invalidMapping` for mappings without roots, or
  ///   with one that leads into an array; as ``Reading/objects(of:as:by:including:)``.
  @discardableResult
  public func export(
    by mappings: Mappings,
    including isWanted: @escaping @Sendable (String) -> Bool = { _ in true },
    progress: (ExportProgress) -> Void = { _ in },
    to write: @escaping ([UInt8]) throws -> Void
  ) async throws -> ExportReport {
    try mappings.validate()
    guard !mappings.roots.isEmpty else {
      throw VarveError(
        .invalidMapping,
        "nothing says what of the store is written",
        at: "/roots",
        remedy: "Name a mapping, or give the mappings roots."
      )
    }
    var document = MappedDocument(self, mappings, isWanted, write)
    for root in mappings.roots {
      document.total += try await count(Query(mappings.require(root.mapping).entity))
    }
    let parts = try mappings.roots.map { ($0, try JSONPointer.steps($0.pointer)[...]) }
    try await document.write(parts, progress)
    document.writer.json.raw("\n")
    try document.writer.flush()
    return ExportReport(recordCount: document.count, byteCount: document.writer.byteCount)
  }
}

/// A document on its way out.
private struct MappedDocument {
  private let state: Snapshot
  private let mappings: Mappings
  private var objects: ObjectWriting
  var writer: DocumentWriter
  var total = 0
  private(set) var count = 0

  init(
    _ state: Snapshot,
    _ mappings: Mappings,
    _ isWanted: @escaping @Sendable (String) -> Bool,
    _ write: @escaping ([UInt8]) throws -> Void
  ) {
    self.state = state
    self.mappings = mappings
    objects = ObjectWriting(state, mappings, isWanted)
    writer = DocumentWriter(write)
  }

  /// Writes what stands here, given the roots below with the rest of their ways.
  mutating func write(
    _ parts: [(root: Mappings.Root, way: ArraySlice<String>)],
    _ progress: (ExportProgress) -> Void
  ) async throws {
    if let root = parts.first(where: { $0.way.isEmpty })?.root {
      guard parts.count == 1 else {
        throw VarveError(.invalidMapping, "roots overlap", at: "pointer \"\(root.pointer)\"")
      }
      return try await write(root, progress)
    }
    var names: [String] = []
    for part in parts {
      if let name = part.way.first, !names.contains(name) { names.append(name) }
    }
    writer.json.raw("{")
    for (index, name) in names.enumerated() {
      if index > 0 { writer.json.raw(",") }
      writer.json.string(name)
      writer.json.raw(":")
      let below = parts.filter { $0.way.first == name }.map { ($0.root, $0.way.dropFirst()) }
      try await write(below, progress)
    }
    writer.json.raw("}")
  }

  private mutating func write(
    _ root: Mappings.Root,
    _ progress: (ExportProgress) -> Void
  ) async throws {
    let mapping = try mappings.require(root.mapping)
    let depth = try JSONPointer.steps(root.pointer).count + 1
    writer.json.raw("[")
    var isFirst = true
    for try await entity in state.stream(Query(mapping.entity)) {
      if count % 256 == 0 { try Task.checkCancellation() }
      writer.json.raw(isFirst ? "\n" : ",\n")
      isFirst = false
      writer.json.text(try await objects.object(entity, mapping, depth: depth).text)
      try writer.flushIfFull()
      count += 1
      progress(ExportProgress(recordCount: count, totalRecordCount: total))
    }
    writer.json.raw(isFirst ? "]" : "\n]")
  }
}

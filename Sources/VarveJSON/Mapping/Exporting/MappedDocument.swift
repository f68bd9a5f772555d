import VarveCore
public import VarveStore

extension Snapshot {
  /// Writes a document of all live entities of the types that the mappings' roots name, each where
  /// its root says, in creation order: one that an import by the same mappings reads again.
  ///
  /// Each object is read again as an import would. What would become something else by it, as a value
  /// that its transform cannot take back, is listed in the report, with its place.
  ///
  /// The document is written as a stream. See ``Reading/objects(of:as:by:including:)``.
  ///
  /// - Parameters:
  ///   - mappings: what entities become, and where they stand.
  ///   - isWanted: whether the relation of a JSON key is written; asked at every depth.
  ///   - progress: told after each object.
  ///   - write: takes the bytes, about 128 KiB at a time.
  /// - Returns: how much was written, and what of it is not read again as it is.
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
    var document = try MappedDocument(self, mappings, isWanted, write)
    for root in mappings.roots {
      document.total += try await count(Query(mappings.require(root.mapping).entity))
    }
    let parts = try mappings.roots.map { ($0, try JSONPointer.steps($0.pointer)[...]) }
    try await document.write(parts, progress)
    document.writer.json.raw("\n")
    try document.writer.flush()
    var report = document.notes.report
    report.recordCount = document.count
    report.byteCount = document.writer.byteCount
    return report
  }
}

/// A document on its way out.
private struct MappedDocument {
  private let state: Snapshot
  private let mappings: Mappings
  private var objects: ObjectWriting
  private var proof: ExportProof
  let notes = ExportNotes()
  var writer: DocumentWriter
  var total = 0
  private(set) var count = 0

  init(
    _ state: Snapshot,
    _ mappings: Mappings,
    _ isWanted: @escaping @Sendable (String) -> Bool,
    _ write: @escaping ([UInt8]) throws -> Void
  ) throws {
    self.state = state
    self.mappings = mappings
    objects = try ObjectWriting(state, mappings, isWanted)
    proof = ExportProof(state) { [notes] in notes.report.note($0, $1) }
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
    let mapping = try objects.mapping(root.mapping)
    let depth = try JSONPointer.steps(root.pointer).count + 1
    writer.json.raw("[")
    var isFirst = true
    var index = 0
    for try await entity in state.stream(Query(mapping.mapping.entity)) {
      if count % 256 == 0 { try Task.checkCancellation() }
      writer.json.raw(isFirst ? "\n" : ",\n")
      isFirst = false
      let object = try await objects.object(entity, mapping, depth: depth)
      try await proof.prove(object, at: DocumentPath(root.pointer).element(index))
      index += 1
      writer.json.text(object.json.text)
      try writer.flushIfFull()
      count += 1
      progress(ExportProgress(recordCount: count, totalRecordCount: total))
    }
    writer.json.raw(isFirst ? "]" : "\n]")
  }
}

/// What is found while a document is written.
private final class ExportNotes {
  var report = ExportReport()
}

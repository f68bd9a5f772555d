import VarveCore
public import VarveStore

extension Snapshot {
  /// Writes a document of all live entities of the types in the mappings' roots, at the places of
  /// the roots and in creation order. An import by the same mappings reads it again.
  ///
  /// Each object is read again as an import would. A value that an import would change, such as one
  /// that its transform cannot reverse, is listed in the report with its place.
  ///
  /// The document is written as a stream. See ``Reading/objects(of:as:by:including:)``.
  ///
  /// - Parameters:
  ///   - mappings: the mappings of entities, with their places in the document.
  ///   - isWanted: returns whether the relation with a JSON key is written; called at every depth.
  ///   - progress: called after each object.
  ///   - write: called with the bytes, about 128 KiB at a time.
  /// - Returns: the amount written, and the values that an import would change.
  /// - Throws: the errors of `write`; `VarveError`: `invalidMapping` for mappings without roots,
  ///   or with one that leads into an array; as ``Reading/objects(of:as:by:including:)``.
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
        "no mapping for the document is given",
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

/// A document that is being written.
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

  /// Writes one level of the document, given the roots below it with the rest of their paths.
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
      guard let name = part.way.first, !names.contains(where: { $0.isSame(as: name) }) else {
        continue
      }
      names.append(name)
    }
    writer.json.raw("{")
    for (index, name) in names.enumerated() {
      if index > 0 { writer.json.raw(",") }
      writer.json.string(name)
      writer.json.raw(":")
      let below = parts.filter { $0.way.first?.isSame(as: name) == true }
        .map { ($0.root, $0.way.dropFirst()) }
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
    writer.json.raw(root.keyedBy == nil ? "[" : "{")
    var isFirst = true
    var index = 0
    var names: Set<ExactText> = []
    for try await entity in state.stream(Query(mapping.mapping.entity)) {
      if count % 256 == 0 { try Task.checkCancellation() }
      let object = try await objects.object(entity, mapping, depth: depth)
      let place = DocumentPath(root.pointer)
      if let key = root.keyedBy {
        guard let member = name(object, by: key, &names) else { continue }
        writer.json.raw(isFirst ? "\n" : ",\n")
        writer.json.string(member.name)
        writer.json.raw(":")
        try await proof.prove(object, at: place.descendant([.name(member.name)]))
        writer.json.text(member.value.text)
      } else {
        writer.json.raw(isFirst ? "\n" : ",\n")
        try await proof.prove(object, at: place.element(index))
        writer.json.text(object.json.text)
      }
      isFirst = false
      index += 1
      try writer.flushIfFull()
      count += 1
      progress(ExportProgress(recordCount: count, totalRecordCount: total))
    }
    if !isFirst { writer.json.raw("\n") }
    writer.json.raw(root.keyedBy == nil ? "]" : "}")
  }

  /// Returns an object as a member with its name; nil, with a note, if it has none or that of an
  /// earlier one.
  private func name(
    _ object: WrittenObject,
    by key: String,
    _ names: inout Set<ExactText>
  ) -> JSON.Member? {
    guard let member = object.named(by: key) else {
      notes.report.note("", "\(object.entity.id) has no \(key) to name it by, and is left out")
      return nil
    }
    guard names.insert(ExactText(member.name)).inserted else {
      notes.report.note(
        "",
        "\(object.entity.id) has the name \"\(member.name)\" of another, and is left out"
      )
      return nil
    }
    return member
  }
}

/// The findings while a document is written.
private final class ExportNotes {
  var report = ExportReport()
}

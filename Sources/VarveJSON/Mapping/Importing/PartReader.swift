import VarveCore

/// A parsed part of a document: the content of its objects, and their identifying values.
///
/// `@unchecked Sendable`: the reader hands it over and does not use it again. Its mappings are not
/// changed while a part is read.
final class DraftedPart: @unchecked Sendable {
  let mapping: CompiledMapping
  /// The content of each top-level value; nil for null and for anything but an object.
  let drafts: [Draft?]
  /// The identifying values of the drafts and of everything they contain, each once.
  let keys: [NaturalKey]
  /// The values of the drafts.
  let rows: Likening.Rows
  /// The last draft of each key, which leads to the previous ones.
  let latest: [Draft]
  /// The identifier derived from each key.
  let derived: [EntityID]
  /// The identifiers' hashes for a filter, if one is used.
  let hashes: [UInt64]
  let diagnostics: [(path: DocumentPath, reason: String)]
  let hasUnreadable: Bool

  fileprivate init(
    _ mapping: CompiledMapping,
    _ drafts: [Draft?],
    _ drafting: consuming Drafting,
    isFiltered: Bool
  ) {
    rows = Likening.Rows(drafting.values)
    drafting.finish()
    self.mapping = mapping
    self.drafts = drafts
    (keys, latest) = drafts.grouped()
    derived = keys.map(\.derivedID)
    hashes = isFiltered ? derived.map(IdentifierFilter.hash) : []
    diagnostics = drafting.diagnostics
    hasUnreadable = drafting.hasUnreadable
  }
}

/// Parses the pieces of a document in order, in parallel with the writing of earlier pieces.
///
/// `@unchecked Sendable`: a piece is begun when the previous one is done.
final class PartReader: @unchecked Sendable {
  private let parser = FastParser()
  private let isFiltered: Bool
  /// The number of the root's elements that were read.
  private var index = 0

  /// Creates a reader.
  ///
  /// - Parameter isFiltered: whether a filter needs the identifiers' hashes.
  init(isFiltered: Bool) { self.isFiltered = isFiltered }

  /// Starts to parse a piece.
  ///
  /// - Parameter done: a part that is no longer needed. Deallocating it takes a considerable part
  ///   of the time of parsing, so the task also does that.
  func begin(
    _ piece: ImportPiece,
    _ mapping: CompiledMapping,
    releasing done: DraftedPart?
  ) -> Task<DraftedPart, any Error> {
    let order = Order(piece: piece, mapping: mapping)
    return Task.detached(priority: Task.currentPriority) {
      defer { withExtendedLifetime(done) {} }
      return try self.read(order.piece, order.mapping)
    }
  }

  /// `@unchecked Sendable`: a piece is handed over completely, and mappings are not changed while
  /// one is read.
  private struct Order: @unchecked Sendable {
    let piece: ImportPiece
    let mapping: CompiledMapping
  }

  private func read(_ piece: ImportPiece, _ mapping: CompiledMapping) throws -> DraftedPart {
    if piece.isFirst { index = 0 }
    let path = DocumentPath(piece.pointer)
    var drafting = Drafting()
    var drafts: [Draft?] = []
    switch piece.content {
    case .whole(let json, let repetitions):
      drafting.note(repetitions, at: path)
      drafts = [try drafting.draft(json, mapping, atTop: path)]
    case .members(let members, let key, let repetitions):
      drafting.note(repetitions, at: path)
      drafts = try drafting.drafts(members, by: key, mapping, at: path)
    case .misplaced:
      drafting.refuse("an object is expected here, whose members are objects", at: path)
    case .elements(let elements):
      drafts = try elements.enumerated().map { number, json in
        try drafting.draft(json, mapping, atTop: path.element(index + number))
      }
    case .text(let elements):
      // If the fast parser fails, the other parser reports the error, or accepts a trailing comma.
      if let tapes = elements.separated?.withUnsafeBytes(parser.elements) {
        drafts.reserveCapacity(tapes.count)
        drafting.reserve(tapes.count, of: mapping, byteCount: elements.bytes.count)
        for (number, tape) in tapes.enumerated() {
          let place = path.element(index + number)
          drafts.append(try drafting.draft(tape, mapping, atTop: place))
        }
      } else {
        try elements.read { json, repetitions in
          let place = path.element(index + drafts.count)
          drafting.note(repetitions, at: place)
          drafts.append(try drafting.draft(json, mapping, atTop: place))
        }
      }
    }
    index += drafts.count
    return DraftedPart(mapping, drafts, drafting, isFiltered: isFiltered)
  }
}

extension [Draft?] {
  /// Returns the keys of drafts and of everything they contain, each once, and the last draft of
  /// each, which leads to the previous ones. A draft without a key becomes a separate entity.
  fileprivate func grouped() -> (keys: [NaturalKey], latest: [Draft]) {
    var keys: [NaturalKey] = []
    var latest: [Draft] = []
    var indices: [NaturalKey: Int] = [:]
    keys.reserveCapacity(count)
    latest.reserveCapacity(count)
    indices.reserveCapacity(count)
    var open: [Draft] = []
    for case let top? in self {
      open.append(top)
      while let draft = open.popLast() {
        if let key = draft.naturalKey {
          let index = indices[key, default: keys.count]
          if index == keys.count {
            indices[key] = index
            keys.append(key)
            latest.append(draft)
          } else {
            draft.former = latest[index]
            latest[index] = draft
          }
        } else {
          draft.subject = Subject(.new())
        }
        for targets in draft.targets { open += targets.drafts.reversed() }
      }
    }
    return (keys, latest)
  }
}

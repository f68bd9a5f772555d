import VarveCore

/// A part of a document, read: what its objects say, and which identifying values it holds.
///
/// `@unchecked Sendable`: who reads it hands it over, and does not look at it again. The mappings it
/// names are not changed while one is read.
final class DraftedPart: @unchecked Sendable {
  let mapping: CompiledMapping
  /// What each top-level value says; nil for null and for what is no object.
  let drafts: [Draft?]
  /// The identifying values of the drafts and of all they hold, each once.
  let keys: [NaturalKey]
  /// For each of them the last draft with it, which leads to those before it.
  let latest: [Draft]
  /// For each of them the identifier that is made of it.
  let derived: [EntityID]
  /// The identifiers for a filter, if one is in use.
  let hashes: [UInt64]
  let diagnostics: [(path: DocumentPath, reason: String)]
  let hasUnreadable: Bool

  fileprivate init(
    _ mapping: CompiledMapping,
    _ drafts: [Draft?],
    _ drafting: Drafting,
    isFiltered: Bool
  ) {
    self.mapping = mapping
    self.drafts = drafts
    (keys, latest) = drafts.grouped()
    derived = keys.map(\.derivedID)
    hashes = isFiltered ? derived.map(IdentifierFilter.hash) : []
    diagnostics = drafting.diagnostics
    hasUnreadable = drafting.hasUnreadable
  }
}

/// Reads the pieces of a document, one after another, beside whoever writes what was read before.
///
/// `@unchecked Sendable`: a piece is begun when the one before it is done.
final class PartReader: @unchecked Sendable {
  private let parser = FastParser()
  private let isFiltered: Bool
  /// How many elements of the root were read.
  private var index = 0

  /// - Parameter isFiltered: whether identifiers are wanted for a filter.
  init(isFiltered: Bool) { self.isFiltered = isFiltered }

  /// Begins to read a piece.
  ///
  /// - Parameter done: a part that is not needed any more. To give its memory back takes as long as
  ///   a good deal of the reading, so that is done there too.
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

  /// `@unchecked Sendable`: a piece is handed over whole, and mappings do not change while one is read.
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
    case .whole(let json): drafts = [try drafting.draft(json, mapping, atTop: path)]
    case .elements(let elements):
      drafts = try elements.enumerated().map { number, json in
        try drafting.draft(json, mapping, atTop: path.element(index + number))
      }
    case .text(let elements):
      // What the fast parser refuses is read again by the one that says what is wrong, and lets a
      // trailing comma pass.
      if let tapes = elements.bytes.withUnsafeBytes(parser.elements) {
        drafts.reserveCapacity(tapes.count)
        for (number, tape) in tapes.enumerated() {
          let place = path.element(index + number)
          drafts.append(try drafting.draft(tape, mapping, atTop: place))
        }
      } else {
        try elements.read { json in
          let place = path.element(index + drafts.count)
          drafts.append(try drafting.draft(json, mapping, atTop: place))
        }
      }
    }
    index += drafts.count
    return DraftedPart(mapping, drafts, drafting, isFiltered: isFiltered)
  }
}

extension [Draft?] {
  /// The keys of drafts and of all they hold, each once, and the last draft of each, which leads to
  /// those before it. What has no key becomes an entity of its own.
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

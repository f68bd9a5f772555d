import VarveCore
import VarveStore

/// Loads the records of one document in a transaction.
struct RecordLoading {
  private let stream: JSONStream
  private var reading = RecordReading()
  /// The records with values without a datestamp. The values of a second record would alternate
  /// with them each time the document is loaded.
  private var seen = SeenIdentifiers()
  private(set) var report = LoadReport()
  private var index = 0
  private let rules: [EntityType: ModelRules]
  /// The entities that violate the rules of their models so far, with their places in the document.
  private var suspects: [(id: EntityID, position: JSONPosition, pointer: String)] = []
  private var suspected: Set<EntityID> = []

  /// The maximum size of a record in bytes, which has room for the largest value in base64.
  static let maximumByteCount = 768 << 20

  /// Creates a loader.
  ///
  /// - Parameter rules: the rules of the models to check.
  init(_ stream: JSONStream, _ rules: [EntityType: ModelRules]) {
    self.stream = stream
    self.rules = rules
  }

  /// Loads the array that the stream has entered.
  mutating func load(
    into transaction: WriteTransaction,
    _ progress: (Int) -> Void
  ) async throws {
    while try stream.nextElement() {
      if index % 256 == 0 { try Task.checkCancellation() }
      let place = stream.position
      if let piece = try stream.value(atMost: Self.maximumByteCount) {
        try await load(piece, into: transaction)
      } else {
        report.skip(place, pointer(), "a record is longer than \(Self.maximumByteCount) bytes")
      }
      index += 1
      progress(index)
    }
    try await noteBroken(in: transaction)
  }

  /// Reports the entities that violate the rules of their models after all records have been
  /// loaded.
  private mutating func noteBroken(in transaction: WriteTransaction) async throws {
    for (id, position, pointer) in suspects {
      guard let entity = try await transaction.entity(id), let rules = rules[entity.type] else {
        continue
      }
      let verdict = try rules.verdict(on: entity)
      let end = verdict.isUnreadable ? "; fetches of the model omit it" : ""
      for violation in verdict.violations {
        let place = pointer + JSONPointer.text(violation.key)
        report.noteBroken(position, place, "\(violation)\(end)")
      }
    }
  }

  /// Remembers an entity that violates the rules of its model. Later records may resolve the
  /// violation.
  private mutating func suspect(
    _ record: EntityRecord,
    _ position: JSONPosition,
    in transaction: WriteTransaction
  ) async throws {
    guard let entity = try await transaction.entity(record.id), let rules = rules[entity.type],
      try !rules.verdict(on: entity).violations.isEmpty,
      suspected.insert(record.id).inserted
    else { return }
    suspects.append((record.id, position, pointer()))
  }

  private mutating func load(
    _ piece: JSONStream.Piece,
    into transaction: WriteTransaction
  ) async throws {
    do {
      let (record, omissions) = try reading.record(piece.json)
      if seen.contains(record.id) { throw Unusable("an earlier record has the same identifier") }
      let loaded = try await transaction.load(record)
      switch loaded.outcome {
      case .created: report.createdCount += 1
      case .changed: report.changedCount += 1
      case .unchanged: break
      }
      if !rules.isEmpty, loaded.outcome != .unchanged {
        try await suspect(record, piece.position, in: transaction)
      }
      if record.hasUndatedValue { seen.insert(record.id) }
      report.importedCount += 1
      if loaded.type != record.type {
        report.skip(
          piece.place(of: "type"),
          pointer("type"),
          "the entity is a \(loaded.type) and stays one; its values were loaded"
        )
      }
      for omission in omissions {
        report.skip(piece.place(of: omission.member), pointer(omission.member), omission.reason)
      }
    } catch let error as Unusable {
      report.skip(piece.position, pointer(), error.reason)
    } catch let error as VarveError where error.isAboutData {
      report.skip(piece.position, pointer(), error.message + (error.place.map { " (\($0))" } ?? ""))
    }
  }

  private func pointer(_ members: String...) -> String {
    ([JSONPointer.text("entities", String(index))] + members.map { JSONPointer.text($0) }).joined()
  }
}

extension VarveError {
  /// Whether the content of a record cannot be stored. In that case nothing of it was written.
  fileprivate var isAboutData: Bool {
    switch code {
    case .valueTooLarge, .unsupportedValue, .invalidArgument, .timeOutOfRange: true
    default: false
    }
  }
}

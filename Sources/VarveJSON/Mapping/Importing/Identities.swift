import VarveCore
import VarveReferences
import VarveStore

/// Finds the entities that identifying values stand for (R20), many at a time.
///
/// The entity under the derived identifier is looked up first, and used if it has the value.
/// Entities with other identifiers are found by their value: at first by a query, and after a few
/// queries by one pass over the type, which remembers only those.
final class Identities {
  private struct TypeState {
    /// Whether an entity may have another identifier than the derived one.
    var mayHaveOthers: Bool
    /// The number of queries so far.
    var queryCount = 0
    /// The entities with other identifiers, by value, once all are known.
    var others: [Value: EntityID]?
  }

  private struct Missing {
    let key: NaturalKey
    let draft: Draft
    let derived: EntityID
    let isTaken: Bool
  }

  /// The subjects of the drafts of a part, one for each entity.
  private struct Subjects {
    let mayMeetTwice: Bool
    private var met: [EntityID: Subject] = [:]

    init(mayMeetTwice: Bool) { self.mayMeetTwice = mayMeetTwice }

    /// Gives a draft, and the former drafts of the same key, their subject.
    mutating func give(_ subject: Subject, to draft: Draft) {
      var subject = subject
      if mayMeetTwice {
        if let known = met[subject.id] { subject = known } else { met[subject.id] = subject }
      }
      var next: Draft? = draft
      while let draft = next {
        draft.subject = subject
        (next, draft.former) = (draft.former, nil)
      }
    }
  }

  private let transaction: WriteTransaction
  /// The state at the import's time, if something later is stored. It is read first.
  private let past: TransactionPast?
  /// Whether one entity may be found by several properties.
  private let mayMeetTwice: Bool
  /// The identifiers met so far, if the store was empty.
  private var filter: IdentifierFilter?
  var isFiltered: Bool { filter != nil }
  private var states: [ObjectIdentifier: TypeState] = [:]
  /// The identifiers given in this import that differ from the derived ones.
  private var given: [NaturalKey: EntityID] = [:]

  /// The number of queries of one property before all its values are read.
  private static let queryLimit = 2

  /// Creates the identification of one import.
  ///
  /// - Parameter isEmpty: whether the store has no entity. Then it will only have those of the
  ///   import, and most need no lookup.
  init(_ transaction: WriteTransaction, past: TransactionPast?, mayMeetTwice: Bool, isEmpty: Bool) {
    self.transaction = transaction
    self.past = past
    filter = isEmpty ? IdentifierFilter() : nil
    self.mayMeetTwice = mayMeetTwice
  }

  /// Gives the drafts of a part of the document, and everything they contain, their subjects.
  ///
  /// - Complexity: O(drafts × log entities), and passes over types that have entities with other
  ///   identifiers.
  func identify(_ part: DraftedPart, _ net: NetChanges) async throws {
    let (keys, latest) = (part.keys, part.latest)
    guard !keys.isEmpty else { return }
    let derived =
      given.isEmpty
      ? part.derived : zip(keys, part.derived).map { key, id in given[key] ?? id }
    let found = try await find(derived, part, net)
    let former = try await past?.entities(derived)
    var subjects = Subjects(mayMeetTwice: mayMeetTwice)
    var missing: [ObjectIdentifier: [Missing]] = [:]
    var place: KeyPlace?
    var mayHaveOthers = true
    for index in keys.indices {
      let likeness = found.isEmpty ? .absent : found[index]
      if case .same(let number) = likeness {
        subjects.give(Subject(derived[index], number: number), to: latest[index])
        continue
      }
      let key = keys[index]
      if place !== key.place {
        place = key.place
        mayHaveOthers = try await self.mayHaveOthers(key.place)
      }
      var entity: StoredEntity?
      if case .other(let one) = likeness { entity = one }
      let then = former?[index]
      if let subject = subject(of: key, entity, then) {
        subjects.give(subject, to: latest[index])
      } else if !mayHaveOthers, past == nil, entity == nil {
        subjects.give(Subject(derived[index]), to: latest[index])
      } else {
        missing[ObjectIdentifier(key.place), default: []].append(
          Missing(
            key: key,
            draft: latest[index],
            derived: derived[index],
            isTaken: entity != nil || then != nil
          )
        )
      }
    }
    try await identify(missing, &subjects)
  }

  /// Gives the drafts of keys whose entities may have another identifier their subjects.
  private func identify(
    _ missing: [ObjectIdentifier: [Missing]],
    _ subjects: inout Subjects
  ) async throws {
    for (_, keys) in missing {
      guard let place = keys.first?.key.place else { continue }
      let others = try await others(place, keys)
      var former: [Value: StoredEntity]?
      if let past { former = try await query(place, keys.map(\.key.value), in: past) }
      for one in keys {
        subjects.give(try await subject(of: one, others, former), to: one.draft)
      }
    }
  }

  /// Returns the entity under a derived identifier, if it has the value at the import's time or
  /// now.
  private func subject(of key: NaturalKey, _ now: StoredEntity?, _ then: StoredEntity?) -> Subject?
  {
    func isIt(_ entity: StoredEntity) -> Bool {
      entity.type == key.place.type && entity[key.place.key] == key.value
    }
    if let then, isIt(then) { return Subject(then.id, then) }
    guard let now, isIt(now) else { return nil }
    return past == nil ? Subject(now.id, now) : Subject(now.id, isLater: true)
  }

  private func subject(
    of one: Missing,
    _ others: [Value: StoredEntity],
    _ former: [Value: StoredEntity]?
  ) async throws -> Subject {
    if let then = former?[one.key.value] { return Subject(then.id, then) }
    if !others.isEmpty, let entity = others[one.key.value] {
      return past == nil ? Subject(entity.id, entity) : Subject(entity.id, isLater: true)
    }
    guard one.isTaken else { return Subject(one.derived) }
    let next = try await nextID(one.key)
    given[one.key] = next
    return Subject(next, isFresh: true)
  }

  /// Returns the first further identifier of a value that no live entity has. Another replica
  /// derives the same one from the same data (R20).
  private func nextID(_ key: NaturalKey) async throws -> EntityID {
    var number = 2
    while true {
      let id = key.place.derivedID(key.value, number: number)
      let isTaken = try await transaction.entity(id) != nil
      if !isTaken, try await past?.entity(id) == nil { return id }
      number += 1
    }
  }

  /// Returns the entities under identifiers, or that they equal their drafts; empty if there are
  /// none at all.
  private func find(
    _ ids: [EntityID],
    _ part: DraftedPart,
    _ net: NetChanges
  ) async throws -> [Likeness] {
    var asked: [Int] = []
    var likenings: [Likening] = []
    for index in ids.indices {
      if filter != nil, filter?.insert(part.hashes[index]) == false { continue }
      let (id, draft) = (ids[index], part.latest[index])
      // Drafts that occur several times or have relations must be examined one by one.
      let isSimple =
        draft.former == nil && draft.targets.isEmpty && !mayMeetTwice && past == nil
        && net[id] == nil
      asked.append(index)
      likenings.append(
        Likening(
          id,
          draft.mapping.likening,
          isSimple ? (part.rows, draft.places.lowerBound) : nil,
          missing: isSimple ? draft.cleared : []
        )
      )
    }
    guard !asked.isEmpty else { return [] }
    let answers = try await transaction.likenesses(likenings)
    guard asked.count < ids.count else { return answers }
    var found = [Likeness](repeating: .absent, count: ids.count)
    for (index, likeness) in zip(asked, answers) { found[index] = likeness }
    return found
  }

  /// Returns whether entities of a type may have other identifiers than the derived ones.
  private func mayHaveOthers(_ place: KeyPlace) async throws -> Bool {
    let name = ObjectIdentifier(place)
    if let known = states[name] { return known.mayHaveOthers }
    let isInUse = try await transaction.first(Query(place.type)) != nil
    states[name] = TypeState(mayHaveOthers: isInUse)
    return isInUse
  }

  /// Returns the live entities that have the values under other identifiers than the derived ones.
  private func others(_ place: KeyPlace, _ keys: [Missing]) async throws -> [Value: StoredEntity] {
    let name = ObjectIdentifier(place)
    guard try await mayHaveOthers(place), var state = states[name] else { return [:] }
    defer { states[name] = state }
    let values = keys.map(\.key.value)
    if state.others == nil, state.queryCount < Self.queryLimit {
      state.queryCount += 1
      return try await query(place, values, in: transaction)
    }
    if state.others == nil { state.others = try await place.otherEntities(in: transaction) }
    let ids = values.compactMap { value in state.others?[value].map { (value, $0) } }
    let entities = try await transaction.entities(ids.map(\.1))
    var answers: [Value: StoredEntity] = [:]
    for ((value, _), entity) in zip(ids, entities) {
      if let entity, entity[place.key] == value { answers[value] = entity }
    }
    return answers
  }

  private func query(
    _ place: KeyPlace,
    _ values: [Value],
    in state: some Reading
  ) async throws -> [Value: StoredEntity] {
    // The query reads the property, even if its key is `identifier`.
    let references = values.map {
      EntityReference(.property(place.key, $0)).expecting(place.type)
    }
    let handles = try await state.find(references)
    let ids = zip(values, handles).compactMap { value, handle in handle.map { (value, $0.id) } }
    let entities = try await state.entities(ids.map(\.1))
    var answers: [Value: StoredEntity] = [:]
    for ((value, _), entity) in zip(ids, entities) { answers[value] = entity }
    return answers
  }
}

import Foundation
import VarveCore
import VarveStore
import VarveTestSupport

/// A query, and the rows it has by going through plain data.
struct TrialQuery: Sendable {
  var query: TypedQuery<Thing>
  /// All rows in order, the window left out.
  var ids: [EntityID]

  /// Those in the window.
  var windowed: [EntityID] {
    Array(ids.dropFirst(query.untyped.offset).prefix(query.untyped.limit ?? .max))
  }
}

/// One row: an entity, and what is joined to it.
private struct PlainRow {
  let main: PlainEntity
  var joined: PlainEntity?
}

/// A field as rows have it.
private struct RowField {
  let field: Field
  let value: @Sendable (PlainRow) -> Value?
  /// Converts a value that the field is compared with to the form of the field.
  var read: @Sendable (Value) -> Value = { $0 }
}

extension SplitMix64 {
  /// A value of any kind, small enough to be met again.
  mutating func trialValue(_ state: PlainState) -> Value {
    switch Int.random(in: 0..<12, using: &self) {
    case 0, 1: .int(pick([-1, 0, 1, 2]))
    case 2, 3: .double(pick([-1, -0.0, 0.5, 1, 2, .nan, .infinity]))
    case 4, 5: .string(pick(["", "a", "ab", "A", "b", "é", "É", "t1", "1"]))
    case 6: .bool(chance(50))
    case 7: .date(Date(timeIntervalSinceReferenceDate: pick([0, 1, 2])))
    case 8: .data(Data(pick([[], [0], [1, 2]])))
    case 9: .array(pick([[], [1], ["a"], [1.0]]))
    default: .reference(pick(state.entities.map(\.id) + ["nobody"]))
    }
  }

  /// Any query of things: kinds, a join, conditions, an order, a window.
  mutating func trialQuery(_ state: PlainState) -> TrialQuery {
    var query = Thing.all
    var types: Set<EntityType> = ["things"]
    if chance(25) {
      query = query.including(["gadgets"])
      types.insert("gadgets")
    }
    var rows = state.entities.filter { types.contains($0.type) }.map { PlainRow(main: $0) }
    var fields = TrialField.ofThing.map { own in
      RowField(field: own.field) { own.value(in: $0.main) }
    }
    fields += relatedFields(state)
    let isJoined = chance(50)
    if isJoined { (query, rows, fields) = join(query, rows, fields, state) }
    for _ in 0..<pick([0, 1, 1, 2]) {
      let (condition, holds) = condition(fields, state, depth: 0)
      query = query.where(condition)
      rows = rows.filter { holds($0) == true }
    }
    var criteria: [(RowField, Bool)] = []
    for _ in 0..<pick([0, 1, 1, 2]) { criteria.append((interpreted(pick(fields)), chance(50))) }
    var untyped = query.untyped
    for (field, isDescending) in criteria {
      untyped = untyped.order(by: field.field, descending: isDescending)
    }
    let sorted = rows.indices.sorted { left, right in
      for (field, isDescending) in criteria {
        let order = PlainComparison.sorts(field.value(rows[left]), field.value(rows[right]))
        if order != 0 { return (order < 0) != isDescending }
      }
      return left < right
    }
    var ids = sorted.map { rows[$0].main.id }
    if isJoined, chance(50) {
      untyped = untyped.distinct
      var seen: Set<EntityID> = []
      ids = ids.filter { seen.insert($0).inserted }
    }
    if chance(30) { untyped = untyped.limit(pick([0, 1, 2, 3, .max])) }
    if chance(30) { untyped = untyped.offset(pick([0, 1, 2])) }
    // The type is the model's, so this cannot fail.
    return TrialQuery(query: (try? TypedQuery(untyped)) ?? query, ids: ids)
  }

  private mutating func join(
    _ query: TypedQuery<Thing>,
    _ rows: [PlainRow],
    _ fields: [RowField],
    _ state: PlainState
  ) -> (TypedQuery<Thing>, [PlainRow], [RowField]) {
    let ofThing = TrialField.ofThing
    let isOwn = chance(40)
    let type: EntityType = isOwn ? "things" : "holders"
    let ofJoined = isOwn ? ofThing : TrialField.ofHolder
    let pairs =
      isOwn
      ? [(ofThing[0], ofThing[3]), (ofThing[3], ofThing[0]), (ofThing[10], ofThing[1])]
      : [(ofJoined[0], ofThing[2]), (ofJoined[0], ofThing[2]), (ofJoined[2], pick(ofThing))]
    let (on, equals) = pick(pairs)
    let candidates = state.entities.filter { $0.type == type }
    let joined = rows.flatMap { row in
      candidates.filter { PlainComparison.joins(on.value(in: $0), equals.value(in: row.main)) }
        .map { PlainRow(main: row.main, joined: $0) }
    }
    let theirs = ofJoined.map { field in
      RowField(field: .of(type, field.field)) { field.value(in: $0.joined) }
    }
    let untyped = query.untyped.join(type, on: on.field, equals: equals.field)
    return ((try? TypedQuery(untyped)) ?? query, joined, fields + theirs)
  }

  /// Fields of the holder that a thing names, and values of the things that name it.
  private func relatedFields(_ state: PlainState) -> [RowField] {
    let owner = TrialField(.identifier, "owner", "keeper")
    let other = TrialField(.identifier, "other")
    let rank = Field.firstOf("owner", ["keeper"]).target("holders", Field("rank"))
    let things = RelatedEntities.referring("things", by: "other")
    let theirs: @Sendable (PlainRow) -> [PlainEntity] = { row in
      state.entities.filter { entity in
        entity.type == "things"
          && PlainComparison.joins(other.value(in: entity), .string(row.main.id.text))
      }
    }
    let numbers: @Sendable (PlainRow) -> [Int64] = { row in
      theirs(row).compactMap { $0.values["number"]?.intValue }
    }
    return [
      RowField(field: rank) { row in
        let holder = owner.value(in: row.main)?.referenceValue.flatMap { state[$0] }
        return holder?.type == "holders" ? holder?.values["rank"] : nil
      },
      RowField(field: things.count) { .int(Int64(theirs($0).count)) },
      RowField(field: things.sum(Field("number"))) { row in
        numbers(row).isEmpty ? nil : .int(numbers(row).reduce(0, +))
      },
      RowField(field: things.where(Field("number") > 0).maximum(Field("number"))) { row in
        numbers(row).filter { $0 > 0 }.max().map { .int($0) }
      },
    ]
  }

  /// A condition that a thing is named by others.
  private func existence(_ state: PlainState) -> (Condition, @Sendable (PlainRow) -> Bool?) {
    let other = TrialField(.identifier, "other")
    let related = RelatedEntities.referring("things", by: "other").where(Field("flag") == true)
    return (
      related.exists,
      { row in
        state.entities.contains { entity in
          entity.type == "things" && entity.values["flag"] == true
            && PlainComparison.joins(other.value(in: entity), .string(row.main.id.text))
        }
      }
    )
  }

  /// The field itself, without regard to case, or inside its value.
  private mutating func interpreted(_ field: RowField) -> RowField {
    switch Int.random(in: 0..<8, using: &self) {
    case 0:
      let read: @Sendable (Value) -> Value = { value in
        if case .string(let text) = value { .string(text.lowercased()) } else { value }
      }
      return RowField(
        field: field.field.ignoringCase,
        value: { field.value($0).map(read) },
        read: read
      )
    case 1:
      return RowField(field: field.field[0]) { row in
        if case .array(let elements)? = field.value(row) { elements.first } else { nil }
      }
    default: return field
    }
  }

  /// A comparison of two fields.
  private mutating func fieldCondition(
    _ fields: [RowField]
  ) -> (Condition, @Sendable (PlainRow) -> Bool?) {
    let (one, other) = (interpreted(pick(fields)), interpreted(pick(fields)))
    let comparison = pick(Comparison.allCases)
    let isText = one.field.isIdentifier || other.field.isIdentifier
    return (
      .compareFields(one.field, comparison, other.field),
      { row in
        guard var left = one.value(row), var right = other.value(row) else { return nil }
        (left, right) = (one.read(other.read(left)), one.read(other.read(right)))
        if isText { (left, right) = (PlainComparison.plain(left), PlainComparison.plain(right)) }
        return PlainComparison.compare(left, right).map {
          PlainComparison.holds(comparison, $0)
        }
      }
    )
  }

  private mutating func condition(
    _ fields: [RowField],
    _ state: PlainState,
    depth: Int
  ) -> (Condition, @Sendable (PlainRow) -> Bool?) {
    let field = interpreted(pick(fields))
    switch Int.random(in: 0..<(depth < 2 ? 12 : 8), using: &self) {
    case 7: return existence(state)
    case 5: return fieldCondition(fields)
    case 6:
      let value = trialValue(state)
      return (
        .includes(field.field, value),
        { row in
          guard case .array(let elements)? = field.value(row), !PlainComparison.isNaN(value) else {
            return nil
          }
          return elements.contains {
            PlainComparison.compare(field.read($0), field.read(value)) == 0
          }
        }
      )
    case 0: return (.isMissing(field.field), { field.value($0) == nil })
    case 1:
      let text = pick(["", "a", "b", "é"])
      return (
        .hasPrefix(field.field, text),
        { row in
          let text = field.read(.string(text)).description
          return field.value(row)?.stringValue.map { $0.utf8.starts(with: text.utf8) }
        }
      )
    case 2:
      let values = (0..<Int.random(in: 1...3, using: &self)).map { _ in trialValue(state) }
      return (
        .isIn(field.field, values),
        { row in
          let answers = values.map { value in
            field.value(row).flatMap { PlainComparison.compare($0, field.read(value)) }.map {
              $0 == 0
            }
          }
          return answers.contains(true) ? true : (answers.contains(nil) ? nil : false)
        }
      )
    case 8:
      let (inner, holds) = condition(fields, state, depth: depth + 1)
      return (.not(inner), { holds($0).map { !$0 } })
    case 9, 10, 11:
      let (one, first) = condition(fields, state, depth: depth + 1)
      let (two, second) = condition(fields, state, depth: depth + 1)
      let decisive = chance(50)
      return (
        decisive ? one || two : one && two,
        { row in
          let answers = [first(row), second(row)]
          return answers.contains(decisive) ? decisive : (answers.contains(nil) ? nil : !decisive)
        }
      )
    default:
      let comparison = pick(Comparison.allCases)
      let value = trialValue(state)
      return (
        .compare(field.field, comparison, value),
        { row in
          field.value(row).flatMap { PlainComparison.compare($0, field.read(value)) }
            .map { PlainComparison.holds(comparison, $0) }
        }
      )
    }
  }
}

#if CommandLine
import VarveCore
import VarveJSON
import VarveStore

/// Act five: erases a country with everything it owns, and restores it.
struct EraseAndRestoreAct {
  let store: Store

  func perform(on stage: Stage) async throws {
    try stage.begin("Erased, and restored")
    guard let country = try await largestCountry() else { return }
    let name = country["name"]?.shown ?? country.id.text
    let before = try await store.relatedIDs(country.id, .owns)
    let died = try await store.write(author: "sam", message: "a slip of the hand") { transaction in
      try await transaction.erase([country.id])
    }
    try stage.say(
      "\(name) owns the most, \(counted(before.count, "subdivision")). Sam erases it by mistake: "
        + "\(counted(died.count, "entity", "entities")) gone."
    )
    let afterErasure = try await liveSubdivisions(of: country.id)
    let revived = try await store.write(author: "sam", message: "sorry") { transaction in
      try await transaction.restore(country.id)
    }
    let after = try await store.relatedIDs(country.id, .owns)
    try stage.say("One restore brings back \(counted(revived.count, "entity", "entities")).")
    guard after == before, revived.count == died.count else {
      throw VarveError(
        .damaged,
        "a restore did not bring back everything that was erased",
        at: "\(country.id)"
      )
    }
    var table = Table([
      Table.Column(heading: "state"), Table.Column(heading: "live subdivisions", isNumeric: true),
    ])
    table.add("before", grouped(before.count))
    table.add("erased", grouped(afterErasure))
    table.add("restored", grouped(after.count))
    try stage.show(table)
    stage.note(
      "erased",
      [
        "id": .string(country.id.text), "died": .count(died.count),
        "restored": .count(revived.count),
      ]
    )
  }

  private func largestCountry() async throws -> StoredEntity? {
    var largest: (entity: StoredEntity, count: Int)?
    for country in try await store.fetch(Query(Release.countryType)) {
      let count = try await store.relatedIDs(country.id, .owns).count
      if count > largest?.count ?? -1 { largest = (country, count) }
    }
    return largest?.entity
  }

  private func liveSubdivisions(of country: EntityID) async throws -> Int {
    let beginning = country.text.replacing("Country/", with: "Subdivision/") + "-"
    return try await store.count(
      Query(Release.subdivisionType).where(Field.identifier.hasPrefix(beginning))
    )
  }
}
#endif

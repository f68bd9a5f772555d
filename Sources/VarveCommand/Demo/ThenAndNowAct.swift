#if CommandLine
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// Act three: runs the same queries at a past date and now.
struct ThenAndNowAct {
  let store: Store
  let releases: [Release]

  func perform(on stage: Stage) async throws {
    try stage.begin("The same question, then and now")
    guard let then = releases.prefix(2).last?.date else { return }
    let day = DateWriter.day(then)
    try await store.asOf(then).read { past in
      try await compareNames(past, day, on: stage)
      try await compareTypes(past, day, on: stage)
    }
  }

  private func compareNames(_ past: any Reading, _ day: String, on stage: Stage) async throws {
    let query = Query(Release.countryType).where(Field("name").hasPrefix("S"))
      .order(by: Field("name"))
    let before = try await past.fetch(query)
    let after = try await store.fetch(query)
    try stage.say(
      "Countries whose name begins with S: \(before.count) on \(day), \(after.count) now."
    )
    let (idsBefore, idsAfter) = (Set(before.map(\.id)), Set(after.map(\.id)))
    var table = Table("country", "on \(day)", "now")
    for country in before + after
    where idsBefore.contains(country.id) != idsAfter.contains(country.id) {
      table.add(
        country.id.text,
        try await name(of: country.id, in: past),
        try await name(of: country.id, in: store)
      )
    }
    try stage.say("One query value, run on both states. The differences:")
    try stage.show(table)
    stage.note(
      "beginningWithS",
      ["asOf": .string(day), "then": .count(before.count), "now": .count(after.count)]
    )
  }

  private func name(of id: EntityID, in state: any Reading) async throws -> String {
    try await state.entity(id)?["name"]?.shown ?? "none"
  }

  private func compareTypes(_ past: any Reading, _ day: String, on stage: Stage) async throws {
    try stage.say("Subdivisions of some types:")
    var table = Table([
      Table.Column(heading: "type"), Table.Column(heading: "on \(day)", isNumeric: true),
      Table.Column(heading: "now", isNumeric: true),
    ])
    var counts: [JSON.Member] = []
    for type in ["Region", "Province", "District", "Municipality", "State"] {
      let query = Query(Release.subdivisionType).where(Field("type") == .string(type))
      let (before, after) = (try await past.count(query), try await store.count(query))
      table.add(type, grouped(before), grouped(after))
      counts.append(
        JSON.Member(name: type, value: ["then": .count(before), "now": .count(after)])
      )
    }
    try stage.show(table)
    stage.note("subdivisionTypes", .object(counts))
  }
}
#endif

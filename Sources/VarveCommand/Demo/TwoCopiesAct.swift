#if CommandLine
import VarveCore
import VarveJSON
import VarveStore

/// Act four: two people edit two copies, which are then merged in both directions.
struct TwoCopiesAct {
  private static let country: EntityID = "Country/SZ"
  private static let city: EntityID = "city/manzini"
  private static let neighbour: EntityID = "Country/ZA"
  private static let shown: [PropertyKey] = ["capital", "calling_code", "common_name"]

  let store: Store
  let copyPath: String

  func perform(on stage: Stage) async throws {
    try stage.begin("Two copies, edited apart, merged")
    try await Store.using(copyPath, Store.Configuration()) { copy in
      let report = try await copy.merge(from: store)
      try stage.say("Ben takes a copy: \(counted(report.commitCount, "commit")).")
      try await edit(copy)
      try await show(copy, "Ana and Ben write without a connection:", on: stage)
      try await merge(copy, on: stage)
      try await show(copy, "After the merge:", on: stage)
      try await compare(copy, on: stage)
    }
    try await showBothValues(on: stage)
  }

  /// Makes the edits: each author writes one property alone and one that both write; one adds a
  /// relation, the other an entity.
  private func edit(_ copy: Store) async throws {
    try await store.write(author: "ana", message: "from the atlas") { transaction in
      try await transaction.update(
        Self.country,
        ["capital": "Mbabane", "common_name": "Swaziland (until 2018)"]
      )
      try await transaction.relate(Self.country, .free, Self.neighbour, named: "borders")
    }
    try await copy.write(author: "ben", message: "from the phone book") { transaction in
      try await transaction.update(
        Self.country,
        ["calling_code": "+268", "common_name": "eSwatini"]
      )
      let properties: [PropertyKey: Value] = ["name": "Manzini"]
      try await transaction.create("City", id: Self.city, properties)
      try await transaction.relate(Self.country, .owns, Self.city)
    }
  }

  private func merge(_ copy: Store, on stage: Stage) async throws {
    let toAna = try await store.merge(from: copy)
    let toBen = try await copy.merge(from: store)
    try stage.say(
      "Merged both ways: \(counted(toAna.commitCount, "commit")) to Ana, "
        + "\(counted(toBen.commitCount, "commit")) to Ben."
    )
    stage.note("merged", ["toAna": .count(toAna.commitCount), "toBen": .count(toBen.commitCount)])
  }

  private func show(_ copy: Store, _ title: String, on stage: Stage) async throws {
    try stage.say(title)
    var table = Table("of \(Self.country)", "Ana's copy", "Ben's copy")
    let (ana, ben) = (try await store.require(Self.country), try await copy.require(Self.country))
    for key in Self.shown { table.add(key.text, ana[key]?.shown ?? "", ben[key]?.shown ?? "") }
    table.add("borders", try await borders(in: store), try await borders(in: copy))
    table.add("city", try await cityName(in: store), try await cityName(in: copy))
    try stage.show(table)
  }

  private func borders(in store: Store) async throws -> String {
    try await store.relatedIDs(Self.country, .free, named: "borders").shown()
  }

  private func cityName(in store: Store) async throws -> String {
    try await store.entity(Self.city)?["name"]?.shown ?? ""
  }

  private func compare(_ copy: Store, on stage: Stage) async throws {
    let (anaHoldsAll, benHoldsAll) = (try await holdsAll(store), try await holdsAll(copy))
    let ana = try await Listing(of: store)
    let ben = try await Listing(of: copy)
    guard ana == ben, anaHoldsAll, benHoldsAll else {
      throw VarveError(.damaged, "the two copies differ, or something is missing")
    }
    try stage.say(
      "The copies are equal: \(counted(ana.entities.count, "entity", "entities")) with "
        + "\(counted(ana.versionCount, "version")) in their histories, the same commits by hash."
    )
    stage.note(
      "equalCopies",
      ["entities": .count(ana.entities.count), "versions": .count(ana.versionCount)]
    )
  }

  /// Returns whether a store has everything that both authors wrote to the country.
  private func holdsAll(_ store: Store) async throws -> Bool {
    let country = try await store.require(Self.country)
    let isBordering = try await !borders(in: store).isEmpty
    let hasCity = try await !cityName(in: store).isEmpty
    return isBordering && hasCity && Self.shown.allSatisfy { country[$0] != nil }
  }

  private func showBothValues(on stage: Stage) async throws {
    let versions = try await store.history(of: Self.country, "common_name")
    try stage.say("Nothing was lost. The history of common_name; the first value holds:")
    var table = Table("time (UTC)", "value", "author", "commit")
    for version in versions {
      table.add(
        DateWriter.short(version.time),
        version.content.shown,
        version.author ?? "",
        version.commit.id.description
      )
    }
    try stage.show(table)
    stage.note("bothValues", .array(versions.map(\.json)))
  }
}
#endif

#if CommandLine
import VarveCore
import VarveJSON
import VarveStore

/// Act two: the former names of a country, with their dates.
struct NameHistoryAct {
  private static let name: PropertyKey = "name"

  let store: Store
  let country: EntityID

  func perform(on stage: Stage) async throws {
    try stage.begin("The history of a name")
    let versions = try await store.history(of: country, Self.name)
    guard !versions.isEmpty else {
      _ = try await store.require(country)
      return
    }
    try stage.say("Every name \(country) ever had, oldest first:")
    var table = Table("from", "name", "author", "message", "commit")
    for version in versions.reversed() {
      table.add(
        DateWriter.day(version.time.date),
        version.content.shown,
        version.author ?? "",
        version.commit.message ?? "",
        version.commit.id.description
      )
    }
    try stage.show(table)
    stage.note("name", .array(versions.reversed().map(\.json)))
    try await showRenamed(on: stage)
  }

  /// Searches the name histories of all countries.
  private func showRenamed(on stage: Stage) async throws {
    let countries = try await store.fetch(Query(Release.countryType).order(by: Field(Self.name)))
    var table = Table("country", "names")
    var renamed: [JSON] = []
    for country in countries {
      let versions = try await store.history(of: country.id, Self.name)
      guard versions.count > 1 else { continue }
      let names = versions.reversed().map {
        "\($0.content.shown) (\(DateWriter.day($0.time.date)))"
      }
      table.add(country.id.text, names.joined(separator: " → "))
      renamed.append(.string(country.id.text))
    }
    try stage.say("All countries whose name changed, found in their histories:")
    try stage.show(table)
    stage.note("renamed", .array(renamed))
  }
}
#endif

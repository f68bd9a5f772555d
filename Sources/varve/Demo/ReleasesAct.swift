import VarveCore
import VarveJSON
import VarveStore

/// Act one: the releases are saved one after another, each at its own date.
struct ReleasesAct {
  let store: Store
  let releases: [Release]

  func perform(on stage: Stage) async throws {
    try stage.begin("Seven years of releases, saved one after another")
    try stage.say(
      "Each release is one transaction, dated with its release. Only what changed is written."
    )
    var table = Table(
      [Table.Column(heading: "release"), Table.Column(heading: "type")]
        + ["created", "changed", "unchanged", "ended"].map {
          Table.Column(heading: $0, isNumeric: true)
        } + [Table.Column(heading: "commit")]
    )
    var results: [JSON] = []
    for release in releases {
      let (tallies, commit) = try await store.commit(
        author: "iso-codes",
        message: "release \(release.name)",
        at: release.date
      ) { transaction in
        try await ReleaseImport(release: release, transaction: transaction).run()
      }
      let name = commit?.id.description ?? "none"
      table.add([release.name, "countries"] + tallies.countries.cells + [name])
      table.add(["", "subdivisions"] + tallies.subdivisions.cells + [""])
      results.append([
        "release": .string(release.name), "countries": tallies.countries.json,
        "subdivisions": tallies.subdivisions.json,
      ])
    }
    try stage.show(table)
    stage.note("releases", .array(results))
  }
}

extension Tally {
  fileprivate var cells: [String] { [created, changed, unchanged, ended].map(grouped) }
}

#if CommandLine
import VarveCore
import VarveJSON
import VarveStore

/// Act one: imports the releases one by one, each with its own date.
struct ReleasesAct {
  let store: Store
  let releases: [Release]
  let mappings: Mappings

  func perform(on stage: Stage) async throws {
    try stage.begin("Seven years of releases, imported one after another")
    try stage.say(
      "Each release is imported by mapping.json, in one transaction dated with the release. "
        + "Only what changed is written."
    )
    var table = Table(
      [Table.Column(heading: "release"), Table.Column(heading: "type")]
        + ["created", "changed", "unchanged", "ended"].map {
          Table.Column(heading: $0, isNumeric: true)
        } + [Table.Column(heading: "commit")]
    )
    var results: [JSON] = []
    for release in releases {
      var options = ImportOptions()
      options.author = "iso-codes"
      options.message = "release \(release.name)"
      options.time = release.date
      options.listsEntities = false
      let source = try DocumentSource(file: release.path)
      let report = try await store.import(source, by: mappings, options)
      let countries = report.byType[Release.countryType] ?? .init()
      let subdivisions = report.byType[Release.subdivisionType] ?? .init()
      let name = report.commit?.id.description ?? "none"
      table.add([release.name, "countries"] + countries.cells + [name])
      table.add(["", "subdivisions"] + subdivisions.cells + [""])
      results.append([
        "release": .string(release.name), "countries": countries.json,
        "subdivisions": subdivisions.json,
      ])
    }
    try stage.show(table)
    stage.note("releases", .array(results))
  }
}

extension ImportReport.Tally {
  fileprivate var cells: [String] { [created, changed, unchanged, ended].map(grouped) }

  /// The tally as JSON.
  fileprivate var json: JSON {
    [
      "created": .count(created), "changed": .count(changed), "unchanged": .count(unchanged),
      "ended": .count(ended),
    ]
  }
}
#endif

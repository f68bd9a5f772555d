#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// `varve demo`
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show what Varve does with seven years of country lists.",
    discussion: """
      Imports dated releases one by one, shows what changed and when, edits two copies separately \
      and merges them, erases and restores, and checks the file. The store is a temporary file \
      unless --store names one.

      Examples:
        varve demo
        varve demo Examples/Countries --store countries.varve
        varve demo --country MK
      """
  )

  @Argument(help: "The folder with the releases.", completion: .directory)
  var folder = "Examples/Countries"
  @Option(help: "Keep the store in this file, which must not exist yet.", completion: .file())
  var store: String?
  @Option(help: "The country whose name is followed, by its code of two letters.")
  var country = "SZ"
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if output.csv { throw UsageError("The demo has no table: omit --csv.") }
  }

  func run() async throws {
    let releases = try Release.all(in: folder)
    let mappings = try Release.mappings(in: folder)
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let path = store ?? scratch.path("demo.varve")
    if FileManager.default.fileExists(atPath: path) {
      throw VarveError(
        .invalidArgument,
        "the file already exists",
        at: path,
        remedy: "Name a file that does not exist yet."
      )
    }
    let stage = Stage(isSilent: output.json)
    let started = ContinuousClock.now
    try await Store.using(path, Store.Configuration()) { store in
      try await perform(releases, mappings, on: store, scratch: scratch, stage: stage)
    }
    try await ProofAct(path: path, releases: releases).perform(on: stage)
    try finish(stage, took: ContinuousClock.now - started)
  }

  private func perform(
    _ releases: [Release],
    _ mappings: Mappings,
    on store: Store,
    scratch: ScratchFolder,
    stage: Stage
  ) async throws {
    let subject = try Release.countryID(country.uppercased())
    try await ReleasesAct(store: store, releases: releases, mappings: mappings).perform(on: stage)
    try await NameHistoryAct(store: store, country: subject).perform(on: stage)
    try await ThenAndNowAct(store: store, releases: releases).perform(on: stage)
    try await TwoCopiesAct(store: store, copyPath: scratch.path("copy.varve"))
      .perform(on: stage)
    try await EraseAndRestoreAct(store: store).perform(on: stage)
  }

  private func finish(_ stage: Stage, took duration: Duration) throws {
    let seconds = duration / .seconds(1)
    try stage.say("Done in \(seconds.formatted(.number.precision(.fractionLength(1)))) s.")
    if let store {
      try stage.say("Continue with: varve history \(store) Country/\(country.uppercased()) name")
    } else {
      try stage.say("To look around afterwards: varve demo --store countries.varve")
    }
    if output.json { try output.write(Answer(stage.record)) }
  }
}

/// A temporary folder for the demo.
struct ScratchFolder {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Returns the path of a file in it.
  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Removes the folder with its contents.
  func remove() { try? FileManager.default.removeItem(at: url) }
}
#endif

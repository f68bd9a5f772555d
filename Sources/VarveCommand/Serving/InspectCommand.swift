#if CommandLine && Server
import ArgumentParser
import Foundation
import VarveServer
import VarveStore

/// `varve inspect`
struct InspectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show a store in the browser, at any moment of its history.",
    discussion: """
      Prints a link that works once, on this computer. The page shows every table at any moment, \
      what changed and who did it, who owns whom, and conflicts. It can change nothing \
      (--read-only, the default) unless --write permits it. ^C ends it.

      Examples:
        varve inspect hats.varve
        varve inspect hats.varve --write --author sam
      """
  )

  @Argument(help: "The store's file.", completion: .file()) var store: String
  @OptionGroup var key: KeyOption
  @Flag(help: "Let the page change nothing; the default.") var readOnly = false
  @Flag(help: "Let the page restore, undo, settle and erase.") var write = false
  @Option(help: "The author of what the page writes; VARVE_AUTHOR by default.") var author: String?
  @Option(help: "The port; any that is free by default.") var port = 0

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw UsageError("--port must be between 0 and 65535.")
    }
    if readOnly, write {
      throw UsageError("--read-only and --write exclude each other.")
    }
    if author != nil, !write { throw UsageError("--author goes with --write.") }
  }

  func run() async throws {
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    configuration.isReadOnly = !write
    try await Store.using(store, configuration) { opened in
      if !write { try await opened.takeDueCommits(at: store) }
      var inspector = Inspector(opened)
      inspector.name = Inspector.name(ofFile: store)
      inspector.permitsWriting = write
      inspector.author = write ? WritingOptions.name(author) : nil
      inspector.port = port
      try await inspector.run { link in try? Output.line("open \(link)") }
    }
  }
}
#endif

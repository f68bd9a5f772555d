#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// `varve load`
struct LoadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load",
    abstract: "Load JSON documents into a store.",
    discussion: """
      Each document is one transaction, which is rolled back as a whole if it fails. Missing \
      entities are created; existing ones get the values that their history does not have yet, so \
      loading a document again changes nothing. Unusable values are skipped, and reported with \
      their places. A full document is merged with its own authors, messages and times. \
      Documentation/Interchange.md describes the forms.

      Examples:
        varve load hats.varve hats.json --author sam
        varve load hats.varve - --message nightly < hats.json
        varve load copy.varve hats-full.json --create
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The documents; - is standard input.", completion: .file())
  var documents: [String]
  @Flag(help: "Create the store if there is none.") var create = false
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var answers: [JSON] = []
    var lines: [String] = []
    try await Store.filling(file.store, creates: create, isWhole: true) { store in
      for document in documents {
        let report = try await load(document, into: store)
        answers.append(report.json(of: document))
        lines += report.lines(of: document)
      }
    }
    var answer = Answer(.array(answers))
    for line in lines { answer.say(line) }
    try output.write(answer)
  }

  private func load(_ document: String, into store: Store) async throws -> LoadReport {
    do {
      return try await Progress.during("load", "MiB") { line in
        try await store.load(
          try source(document),
          author: writing.namedAuthor,
          message: writing.message,
          at: writing.at
        ) { progress in
          line.show(progress.byteCount >> 20, of: progress.totalByteCount.map { $0 >> 20 })
        }
      }
    } catch let error as VarveError {
      // There may be several documents, so the error states which one it is about.
      guard error.place != document else { throw error }
      let place = [document, error.place].compactMap(\.self).joined(separator: ", ")
      throw error.located(at: place)
    }
  }

  private func source(_ document: String) throws -> DocumentSource {
    document == "-" ? DocumentSource(.standardInput) : try DocumentSource(file: document)
  }
}

extension LoadReport {
  /// The number of skipped values that are printed.
  private static let shownSkippedCount = 10

  /// Returns the report as JSON.
  fileprivate func json(of document: String) -> JSON {
    let merge = merge.map { $0.json } ?? .null
    return [
      "document": .string(document), "imported": .count(importedCount),
      "created": .count(createdCount), "changed": .count(changedCount),
      "skippedCount": .count(skippedCount), "skipped": .array(skipped.map { $0.json() }),
      "commit": commit.json, "merge": merge,
    ]
  }

  /// Returns the report as lines of text.
  fileprivate func lines(of document: String) -> [String] {
    let document = document.printable
    guard !isFull else {
      let partialCount = merge?.partialCount ?? 0
      return ["\(document): \(counted(importedCount, "new commit"))"]
        + (partialCount > 0 ? [MergeReport.note(partialCount: partialCount)] : [])
    }
    var lines = [
      "\(document): \(counted(importedCount, "entity", "entities")), \(grouped(createdCount)) created, "
        + "\(grouped(changedCount)) changed" + commit.shown
    ]
    for one in skipped.prefix(Self.shownSkippedCount) {
      lines.append("  skipped \(one.pointer.printable) (\(one.position)): \(one.reason.printable)")
    }
    if skippedCount > Self.shownSkippedCount {
      lines.append("  and \(grouped(skippedCount - Self.shownSkippedCount)) more skipped")
    }
    return lines
  }
}
#endif

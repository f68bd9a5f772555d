#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve index`
struct IndexCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index",
    abstract: "Create or drop an index or a full-text index on properties of a type.",
    discussion: """
      An index makes queries fast and changes no result. It belongs to this copy of the store: it is \
      not synchronised. Several keys form one composite index, in the order given.

      --search prepares the properties for full-text search, as list --matching and the condition \
      @matches of operations need it. --tokenizer is one of words (single diacritics of Latin letters do not count), accents \
      (they do), stems (English words) and substrings (every three characters in a row).

      Examples:
        varve index hats.varve Hat size
        varve index hats.varve Hat color size
        varve index hats.varve Hat size --drop
        varve index hats.varve Hat color --search --tokenizer substrings
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The type of the entities.") var type: String
  @Argument(help: ArgumentHelp("The properties.", valueName: "key")) var keys: [String]
  @Flag(help: "Prepare the properties for full-text search.") var search = false
  @Option(
    help: ArgumentHelp(
      "The tokenizer for full-text search: words, accents, stems or substrings.",
      valueName: "name"
    )
  )
  var tokenizer: String?
  @Flag(help: "Drop the index, or end the search.") var drop = false
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if tokenizer != nil, !search || drop {
      throw UsageError("--tokenizer belongs to --search, without --drop")
    }
    _ = try chosenTokenizer()
  }

  func run() async throws {
    let type = EntityType(type)
    let keys = keys.map { PropertyKey($0) }
    let tokenizer = try chosenTokenizer()
    let (isDropped, notes) = try await file.use { store in
      let notes = try await ReadNames(type: type, keys: keys).notes(in: store)
      switch (search, drop) {
      case (false, false): try await store.addIndex(on: keys, of: type)
      case (false, true): return (try await store.removeIndex(on: keys, of: type), notes)
      case (true, false): try await store.addSearch(on: keys, of: type, by: tokenizer)
      case (true, true): return (try await store.removeSearch(on: keys, of: type), notes)
      }
      return (false, notes)
    }
    var answer = Answer(["type": .string(type.text), "dropped": .bool(isDropped)])
    let names = keys.map(\.text.printable).joined(separator: ", ")
    let what = search ? "search" : "index"
    let outcome = drop ? isDropped ? " dropped" : "; there was none" : ""
    answer.say("\(what) of \(type.text.printable): \(names)\(outcome)")
    var table = Table("type", "keys")
    table.add(type.text, keys.map(\.text).joined(separator: " "))
    answer.tabulate(table)
    answer.note(notes)
    try output.write(answer)
  }

  private func chosenTokenizer() throws -> SearchTokenizer? {
    try tokenizer.map { name in
      guard let tokenizer = SearchTokenizer(rawValue: name) else {
        let names = SearchTokenizer.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("the tokenizer is one of \(names)")
      }
      return tokenizer
    }
  }
}
#endif

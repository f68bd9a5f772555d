import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve replicas`
struct ReplicasCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replicas",
    abstract: "List who wrote to a store, and whether they still do.",
    discussion: """
      A replica is one copy of the store, under one name. Several chains mean that its file was \
      copied and both copies went on. Returned means that it wrote more after somebody had retired \
      it (varve retire); that counts as anything.

      Examples:
        varve replicas hats.varve
        varve replicas hats.varve --json
      """
  )

  @OptionGroup var file: StoreFile
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let replicas = try await file.use(readOnly: true) { try await $0.replicas() }
    var answer = Answer(.array(replicas.map(\.json)))
    answer.show(Self.table(replicas))
    try output.write(answer)
  }

  private static func table(_ replicas: [Replica]) -> Table {
    var table = Table([
      Table.Column(heading: "replica", isWhole: true), Table.Column(heading: "state"),
      Table.Column(heading: "commits", isNumeric: true),
      Table.Column(heading: "chains", isNumeric: true), Table.Column(heading: "first (UTC)"),
      Table.Column(heading: "last (UTC)"),
    ])
    for replica in replicas {
      table.add(
        replica.id.text,
        replica.isOwn ? "\(replica.state.rawValue), own" : replica.state.rawValue,
        grouped(replica.commitCount),
        grouped(replica.chainCount),
        replica.times.map { DateWriter.short($0.lowerBound) } ?? "",
        replica.times.map { DateWriter.short($0.upperBound) } ?? ""
      )
    }
    return table
  }
}

/// `varve retire`
struct RetireCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire",
    abstract: "Say that a replica will write no more.",
    discussion: """
      A copy that learns so of itself goes on under a fresh name. Nothing is forgotten, and what \
      comes of the replica later counts all the same. varve undo takes it back.

      Example:
        varve retire hats.varve own --author sam --message 'sold the laptop'
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The replica, as varve replicas shows it, or own.") var replica: String
  @Option(help: "Who says so. Without it, the environment's VARVE_AUTHOR.") var author: String?
  @Option(help: ArgumentHelp("Why.", valueName: "text")) var message = ""
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let named = ReplicaID(replica)
    guard replica == "own" || named != nil else {
      throw UsageError("a replica is a UUID, or own, not \(replica.printable)")
    }
    let author = WritingOptions.name(author)
    let id = try await file.use { store in
      let own = try await store.replica()
      try await store.retire(named ?? own, author: author, message: message)
      return named ?? own
    }
    var answer = Answer(["retired": .string(id.text)])
    answer.say("retired \(id)")
    try output.write(answer)
  }
}

#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve replicas`
struct ReplicasCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replicas",
    abstract: "List the replicas that wrote to a store, and whether they are retired.",
    discussion: """
      A replica is one copy of the store, under one id. Several chains mean that its file was \
      copied and both copies were written to. "Returned" means that a replica wrote again after it \
      was retired (varve retire); its commits count like any others.

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
    abstract: "Record that a replica will not write again.",
    discussion: """
      A copy that receives its own retirement continues under a fresh replica id. Nothing is lost, \
      and later commits of the replica still count. varve undo reverts it.

      Example:
        varve retire hats.varve own --author sam --message 'sold the laptop'
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The replica, as varve replicas shows it, or own.") var replica: String
  @Option(help: "The author; VARVE_AUTHOR by default.") var author: String?
  @Option(help: ArgumentHelp("The commit message.", valueName: "text")) var message = ""
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let named = ReplicaID(replica)
    guard replica == "own" || named != nil else {
      throw UsageError("a replica is a UUID, or own, not \(replica.printable)")
    }
    let author = WritingOptions.name(author)
    let (id, isRetiredNow) = try await file.use { store in
      let id = if let named { named } else { try await store.replica() }
      return (id, try await store.retire(id, author: author, message: message))
    }
    var answer = Answer(["retired": .string(id.text), "already": .bool(!isRetiredNow)])
    answer.say(isRetiredNow ? "retired \(id)" : "\(id) is retired already")
    try output.write(answer)
  }
}
#endif

import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// `varve stats`
struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show how much a store holds.",
    discussion: """
      Examples:
        varve stats hats.varve
        varve stats hats.varve --json
      """
  )

  @OptionGroup var file: StoreFile
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let (types, log) = try await file.use(readOnly: true) { store in
      try await store.read { (try await $0.types(), try await $0.log()) }
    }
    let entities = types.reduce(0) { $0 + $1.count }
    let operations = log.reduce(0) { $0 + $1.operationCount }
    let bytes = ["", "-wal"].reduce(0) { $0 + Self.byteCount(of: file.store + $1) }
    var answer = Answer([
      "types": .array(types.map { ["type": .string($0.type.text), "count": .count($0.count)] }),
      "entities": .count(entities), "commits": .count(log.count),
      "operations": .count(operations), "bytes": .count(bytes),
    ])
    answer.say(
      "\(counted(entities, "entity", "entities")), \(counted(log.count, "commit")), "
        + "\(counted(operations, "operation")), \(counted(bytes, "byte"))"
    )
    var table = Table([
      Table.Column(heading: "type"), Table.Column(heading: "entities", isNumeric: true),
    ])
    for type in types { table.add(type.type.text, grouped(type.count)) }
    if !types.isEmpty { answer.show(table) }
    try output.write(answer)
  }

  private static func byteCount(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.size] as? Int ?? 0
  }
}

import Foundation

/// Measures Varve beside raw SQLite, GRDB records and a row for each value, in one process and in
/// turn.
@main
struct VarveBench {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      if options.isMemoryProbe {
        try await MemoryProbe.run(options)
      } else if options.isStoresProbe {
        try await StoresProbe.run(options)
      } else if options.isStepsProbe {
        try await StepsProbe.run(options)
      } else if let step = options.interchangeStep {
        try await InterchangeProbe.run(step)
      } else if let step = options.importStep {
        try await ImportProbe.run(step)
      } else if let arguments = options.peerArguments {
        try await PeerProbe.run(arguments)
      } else if options.isGrowth {
        try await Growth.run(options)
      } else {
        try await run(options)
      }
    } catch {
      FileHandle.standardError.write(Data("varve-bench: \(error)\n".utf8))
      exit(1)
    }
  }

  private typealias Preparation = @Sendable (Context) async throws -> Benchmark

  /// Returns every benchmark with its name and preparation, in the order in which they run.
  private static func benchmarks() -> [(name: String, make: Preparation)] {
    [
      (BulkInsert.smallName, { BulkInsert.small($0) }),
      (BulkInsert.typedName, { BulkInsert.typed($0) }),
      (BulkInsert.wideName, { BulkInsert.wide($0) }),
      (SmallTransactions.name, { SmallTransactions.make($0) }),
      (Updates.name, { try await Updates.make($0) }),
      (QueriedWrites.updateName, { try await QueriedWrites.update($0) }),
      (QueriedWrites.eraseName, { try await QueriedWrites.erase($0) }),
      (QueriedWrites.upsertName, { try await QueriedWrites.upsert($0) }),
      (FindByID.name, { try await FindByID.make($0) }),
      (LoadByID.liveName, { try await LoadByID.live($0) }),
      (LoadByID.coldName, { try await LoadByID.cold($0) }),
      (FetchAll.name, { try await FetchAll.make($0) }),
      (OrdersFetched.name, { try await OrdersFetched.make($0) }),
      (IndexedFilter.name, { try await IndexedFilter.make($0) }),
      (Join.name, { try await Join.make($0) }),
      (Aggregates.totalName, { try await Aggregates.total($0) }),
      (Aggregates.groupName, { try await Aggregates.groups($0) }),
      (Eager.name, { try await Eager.make($0) }),
      (History.name, { try await History.make($0) }),
      (CreationValues.name, { try await CreationValues.make($0) }),
      (PastReading.valueName, { try await PastReading.value($0) }),
      (PastReading.pageName, { try await PastReading.page($0) }),
      (Timelines.name, { try await Timelines.make($0) }),
      (DurableCommits.name, { DurableCommits.make($0) }),
      (FairReaders.name, { try await FairReaders.make($0) }),
      (DiskSize.name, { try await DiskSize.make($0) }),
      (Merge.name, { try await Merge.make($0) }),
      (Divergence.name, { try await Divergence.make($0) }),
      (FirstSync.name, { try await FirstSync.make($0) }),
      (Divergence.bytesName, { try await Divergence.bytes($0) }),
      (InBulk.writeName, { InBulk.write($0) }),
      (InBulk.readName, { try await InBulk.read($0) }),
      (InBulk.findName, { try await InBulk.find($0) }),
      (Erasure.wideName, { try await Erasure.wide($0) }),
      (Erasure.deepName, { try await Erasure.deep($0) }),
      (Erasure.leafName, { try await Erasure.leaf($0) }),
      (SealedSpaces.insertName, { SealedSpaces.insert($0) }),
      (SealedSpaces.syncName, { try await SealedSpaces.sync($0) }),
      (SealedSpaces.findName, { try await SealedSpaces.find($0) }),
      (JSONImport.name, { try await JSONImport.make($0) }),
    ]
  }

  private static func run(_ options: Options) async throws {
    let workspace = try Workspace()
    defer { workspace.remove() }
    let context = Context(options: options, workspace: workspace)
    Report.printHead(options, workspace)
    var ratios: [Measurement.Ratio] = []
    var json = JSONReport(options)
    for (name, make) in benchmarks() where options.selects(name) {
      var measurement: Measurement?
      let time = try await seconds {
        measurement = try await Measurement(
          make(context).only(options.contestant),
          repetitions: options.repetitionCount
        )
      }
      guard let measurement else { continue }
      Report.print(measurement, seconds: time)
      ratios += measurement.ratios
      json.add(measurement, seconds: time)
    }
    // The probes take minutes more, and their output is not machine-readable.
    if let path = options.jsonPath { try json.write(to: path) }
    if options.selects(MemoryProbe.name) { try MemoryProbe.report(options) }
    if options.selects(StoresProbe.name) { try StoresProbe.report(options) }
    if options.selects(StepsProbe.name) { try StepsProbe.report(options) }
    if options.selects(InterchangeProbe.name) { try await InterchangeProbe.report(options) }
    if options.selects(ImportProbe.name) { try ImportProbe.report(options) }
    summarise(ratios)
  }

  private static func summarise(_ ratios: [Measurement.Ratio]) {
    let judged = ratios.compactMap(\.isMet)
    Report.show("\n\(judged.filter { $0 }.count) of \(judged.count) bars met")
    for ratio in ratios where ratio.isMet == false {
      let comparison = ratio.comparison
      Report.show(
        "  missed: \(comparison.name), against \(comparison.anchor): \(ratio.ratio.shown) × where "
          + "the bar is \(comparison.bar?.text ?? "") ×"
      )
    }
  }
}

#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// `varve batch`
struct BatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Run operations: one JSON object per line in, one result per line out.",
    discussion: """
      Every operation is atomic, and durable before its result is printed. A result is \
      {"ok":true,"result":…} or {"ok":false,"error":{"code":…,"message":…,"at":…}}. An invalid \
      line does not end the stream. Blank lines are skipped. Documentation/Operations.md describes \
      every operation.

      Exits with 0 if every line got a result, even an error; with --strict, exits with 1 if an \
      operation failed.

      Examples:
        echo '{"op":"create","type":"Hat"}' | varve batch hats.varve
        varve batch hats.varve operations.jsonl --author import
        echo '{"op":"all","type":"Hat"}' | varve batch hats.varve --strict
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The file of operations; - or none is standard input.", completion: .file())
  var operations = "-"
  @Option(help: "The author, unless an operation names one; VARVE_AUTHOR by default.")
  var author: String?
  @Option(help: ArgumentHelp("The commit message, unless an operation has one.", valueName: "text"))
  var message = ""
  @Option(help: ArgumentHelp("The maximum length of a line.", valueName: "MiB")) var lineLimit = 256
  @Flag(help: "Create the store if there is none.") var create = false
  @Flag(help: "Exit with 1 if an operation failed.") var strict = false

  func validate() throws {
    if !(1...65_536).contains(lineLimit) {
      throw UsageError("--line-limit must be between 1 and 65536.")
    }
  }

  func run() async throws {
    let input = try open()
    defer { try? input.close() }
    try await Store.filling(file.store, creates: create) { store in
      let author = WritingOptions.name(author)
      let runner = OperationRunner(store, author: author, message: message)
      let isWanted = !Output.isTerminal
      let failed = try await Progress.during("batch", "operations", isWanted: isWanted) {
        try await answer(input.fileDescriptor, with: runner, store, $0)
      }
      if strict, failed > 0 { throw ExitCode.failure }
    }
  }

  private func open() throws -> FileHandle {
    guard operations != "-" else { return .standardInput }
    return try DocumentSource.handle(readingFile: operations)
  }

  /// Runs the operations line by line. Returns the number of failed operations.
  private func answer(
    _ input: Int32,
    with runner: OperationRunner,
    _ store: Store,
    _ progress: Progress
  ) async throws -> Int {
    var lines = LineReader(
      descriptor: input,
      name: operations == "-" ? "standard input" : operations,
      limit: lineLimit << 20
    )
    var output = AnswerWriter()
    var (number, answered, failed) = (0, 0, 0)
    while let line = try lines.next() {
      number += 1
      let answer: JSON
      switch line {
      case .bytes(let bytes) where bytes.isBlank: continue
      case .bytes(let bytes): answer = await runner.run(line: bytes, number: number)
      case .tooLong: answer = tooLong(number)
      }
      answered += 1
      if answer["ok"] != true { failed += 1 }
      output.add(answer)
      if output.isFull || lines.wouldBlock { try await print(&output, of: store) }
      progress.show(answered)
    }
    try await print(&output, of: store)
    return failed
  }

  /// Flushes the store, then prints the results, so that each printed result is on the disk.
  private func print(_ output: inout AnswerWriter, of store: Store) async throws {
    try await store.flush()
    try output.flush()
  }

  private func tooLong(_ number: Int) -> JSON {
    let error = VarveError(
      .invalidJSON,
      "a line is longer than \(lineLimit) MiB",
      remedy: "Split it, or raise --line-limit."
    )
    return Failure(error).within("line \(number), column 1").json
  }
}

extension [UInt8] {
  /// Whether the line contains only white space.
  fileprivate var isBlank: Bool { allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }
}
#endif

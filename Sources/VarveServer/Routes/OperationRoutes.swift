#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import VarveCore
import VarveJSON
import VarveStore

/// `POST …/operations`: runs operations, as `varve batch` does.
enum OperationRoutes {
  /// Returns the runner for the operations of a caller.
  private static func runner(_ call: Call, _ space: Space) throws -> OperationRunner {
    let role = call.principal.role(in: space.name, space.id) ?? .reader
    return OperationRunner(
      space.store,
      author: call.principal.subject,
      permitting: { name, kind in
        // Callers have no access to the server's files.
        if name == "merge" { return "operations cannot name files of the server" }
        // A class that is registered changes the results of all callers.
        if name == "registerClass", role < .admin { return "\(name) needs the role admin" }
        let needed: Role =
          switch kind {
          case .reading: .reader
          case .writing: .writer
          case .administering: .admin
          }
        return role >= needed ? nil : "\(name) needs the role \(needed.rawValue)"
      },
      remedy: call.principal.roleRemedy,
      fixesAuthor: call.principal.subject != nil
    )
  }

  /// Runs one operation, whose result or error is the reply.
  static func run(_ call: Call, _ space: Space) async throws -> Response {
    let runner = try runner(call, space)
    let bytes = withoutMark(try await call.body())
    let terms = try call.terms(of: bytes, in: space)
    let outcome = try await call.work.run {
      let outcome = await runner.run(line: bytes, number: 1, under: terms)
      try requireDone(outcome.answer)
      try await space.flush()
      return outcome
    }
    guard outcome.answer["ok"] == true else {
      var problem = Problem(failed: call.work.covered(outcome.answer), status: outcome.note?.status)
      problem.cause = outcome.cause.map { "\(problem.message): \($0)" }
      throw problem
    }
    var headers: HTTPFields = [.varvePosition: try await space.end().text]
    if outcome.note == .repeatedWithoutResult {
      headers[.idempotencyReplayed] = "true"
      let omitted: JSON = ["ok": true, "result": .null, "resultOmitted": true]
      return Reply.document(omitted, headers: headers)
    }
    if outcome.note == .repeated { headers[.idempotencyReplayed] = "true" }
    if let known = call.request.headers[.varveResult]?.trimmed {
      let name = ContentDigest.sha256(Array(outcome.answer.text.utf8)).hexadecimal
      headers[.varveResult] = name
      if name == known { return Response(status: .noContent, headers: headers) }
    }
    return Reply.document(outcome.answer, headers: headers)
  }

  /// Throws if an operation was ended early.
  private static func requireDone(_ answer: JSON) throws {
    guard Task.isCancelled, answer["error"]?["code"] == "cancelled" else { return }
    throw CancellationError()
  }

  /// Runs the operation on a line.
  private static func answer(
    _ call: Call,
    _ bytes: [UInt8],
    _ number: Int,
    _ runner: OperationRunner
  ) async -> JSON {
    do {
      return try await call.work.run {
        let answer = await runner.run(line: bytes, number: number)
        try requireDone(answer)
        return call.work.covered(answer)
      }
    } catch let problem as Problem {
      return problem.answer(at: "line \(number)")
    } catch {
      return call.work.covered(Failure(error).within("line \(number)").json)
    }
  }

  /// Runs operations line by line. Each result is sent once it is on the disk, and what arrived
  /// together is flushed together.
  static func stream(_ call: Call, _ lease: SpaceLease) throws -> Response {
    try call.requireNoTerms()
    let runner = try runner(call, lease.space)
    let limit = call.limits.lineByteCount
    let caller = LogCaller.current
    let body = ResponseBody { writer in
      // The body is sent by another task than the one that replied.
      var open = writer
      try await LogCaller.$current.withValue(caller) {
        try await answer(call, runner, lease.space, limit, &open)
      }
      try await open.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [.contentType: Reply.jsonLines, .cacheControl: "no-store"],
      body: body
    )
  }

  @concurrent
  private static func answer(
    _ call: Call,
    _ runner: OperationRunner,
    _ space: Space,
    _ limit: Int,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    var lines = LineCutter(limit: limit)
    var number = 0
    for try await buffer in call.request.body {
      call.tally.count(buffer.readableBytes, of: .bytes)
      lines.add(buffer.readableBytesView)
      try await answer(call, &lines, &number, runner, space, &writer)
    }
    lines.finish()
    try await answer(call, &lines, &number, runner, space, &writer)
  }

  @concurrent
  private static func answer(
    _ call: Call,
    _ lines: inout LineCutter,
    _ number: inout Int,
    _ runner: OperationRunner,
    _ space: Space,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    var text = ""
    while let line = lines.next() {
      number += 1
      switch number == 1 ? line.withoutMark : line {
      case .bytes(let bytes) where bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }):
        continue
      case .bytes(let bytes): text += await answer(call, bytes, number, runner).text
      case .tooLong: text += tooLong(number, lines.limit).text
      }
      text += "\n"
      if text.utf8.count >= 1 << 16 {
        try await space.flush()
        try await writer.write(ByteBuffer(string: text))
        text = ""
      }
    }
    guard !text.isEmpty else { return }
    try await space.flush()
    try await writer.write(ByteBuffer(string: text))
  }

  /// Returns bytes without the mark that some editors write before a text.
  fileprivate static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  private static func tooLong(_ number: Int, _ limit: Int) -> JSON {
    let error = VarveError(
      .invalidJSON,
      "a line is longer than \(limit) bytes",
      remedy: "Split it. GET /v1 lists the limits."
    )
    return Failure(error).within("line \(number), column 1").json
  }
}

extension LineCutter.Line {
  fileprivate var withoutMark: LineCutter.Line {
    if case .bytes(let bytes) = self { .bytes(OperationRoutes.withoutMark(bytes)) } else { self }
  }
}

extension Problem {
  /// Creates the problem of an operation that failed.
  fileprivate init(failed answer: JSON, status decided: HTTPResponse.Status?) {
    let error = answer["error"]
    let text = { (name: String) -> String? in
      if case .string(let text)? = error?[name] { text } else { nil }
    }
    let name = text("code") ?? ""
    let status = decided ?? VarveError.Code(rawValue: name).map(Problem.status(of:)) ?? .badRequest
    self.init(status, name, text("message") ?? "", remedy: text("remedy"))
    place = text("at")
  }
}
#endif

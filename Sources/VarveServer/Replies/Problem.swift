#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTP1
import VarveCore
import VarveJSON

/// An error as a reply: a problem document (RFC 9457) with the code that the command line prints.
struct Problem: Error {
  var status: HTTPResponse.Status
  let code: String
  var message: String
  var place: String?
  var remedy: String?
  /// What the log says beside the message, which the caller does not learn.
  var cause: String?
  var headers: HTTPFields = [:]

  /// A fault of the request itself, which no code of the store describes.
  init(
    _ status: HTTPResponse.Status,
    _ code: String,
    _ message: String,
    at place: String? = nil,
    remedy: String? = nil
  ) {
    self.status = status
    self.code = code
    self.message = message
    self.place = place
    self.remedy = remedy
  }

  init(_ error: VarveError) {
    self.init(
      Self.status(of: error.code),
      error.code.rawValue,
      error.message,
      remedy: error.remedy ?? "Documentation/Server.md describes what is expected."
    )
    place = error.place
    cause = error.cause.map { "\(error.message): \($0)" }
    // What took too long would take as long again.
    if status == .serviceUnavailable, error.code != .cancelled { headers[.retryAfter] = "1" }
    if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
  }

  /// Runs what decodes bytes of a client. What is damaged there is the client's, not the server's.
  static func decoding<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as VarveError where error.code == .damaged {
      throw VarveError(
        .invalidArgument,
        "the body cannot be read: \(error.message)",
        at: error.place.map { "body, \($0)" } ?? "body",
        remedy: "Send what Documentation/Protocol.md describes."
      )
    }
  }

  /// Returns the problem that an error is.
  static func of(_ error: any Error) -> Problem {
    switch error {
    case let problem as Problem: return problem
    case let error as VarveError: return Problem(error)
    case is CancellationError:
      return Problem(.serviceUnavailable, "cancelled", "the request was cancelled")
    case is NIOTooManyBytesError: return .tooLarge
    case is HTTPParserError, is ChannelError: return .malformedBody
    case let error as HTTPError:
      return Problem(error.status, "usage", error.body ?? error.status.reasonPhrase)
    default:
      var problem = Problem(
        .internalServerError,
        VarveError.Code.inputOutput.rawValue,
        "the server failed",
        remedy: "Try again; the log of the server has the reason."
      )
      problem.cause = "\(error)"
      return problem
    }
  }

  /// Whether the message may contain values of the store or of the request.
  ///
  /// Messages about what a caller sent do; those about rights, the server and its files do not.
  var mayContainValues: Bool {
    switch VarveError.Code(rawValue: code) {
    case nil, .unauthorized, .forbidden, .notFound, .busy, .closed, .suspended, .cancelled,
      .damaged, .diskFull, .inputOutput, .newerFormat, .notAStore, .keyMissing, .wrongKey,
      .notEncrypted, .readOnly, .compacted, .historyAwaited, .outcomeUnknown:
      false
    default: true
    }
  }

  /// Too much was asked for; it may be asked for again after some seconds.
  static func overQuota(_ seconds: Int) -> Problem {
    var problem = Problem(
      .tooManyRequests,
      "overQuota",
      "this is more than a minute's quota",
      remedy: "Try again after the number of seconds that Retry-After says."
    )
    problem.headers[.retryAfter] = "\(seconds)"
    return problem
  }

  /// The body ends early, or is divided in a way that cannot be read.
  static var malformedBody: Problem {
    var problem = Problem(
      .badRequest,
      VarveError.Code.invalidArgument.rawValue,
      "the body is not complete, or is not divided as HTTP says",
      remedy: "Send it with Content-Length, or with Transfer-Encoding: chunked, and whole."
    )
    problem.place = "body"
    return problem
  }

  static var tooLarge: Problem {
    Problem(
      .contentTooLarge,
      "tooLarge",
      "the request is larger than this server accepts",
      at: "body",
      remedy: "GET /v1 lists the limits."
    )
  }

  /// The problem as the answer to one of several operations.
  func answer(at place: String) -> JSON {
    [
      "ok": false,
      "error": [
        "code": .string(code), "message": .string(message), "at": .string(place),
        "remedy": .optional(remedy),
      ],
    ]
  }

  /// The problem document.
  var document: JSON {
    [
      "type": .string("urn:varve:\(code)"), "title": .string(status.reasonPhrase),
      "status": .integer(Int64(status.code)), "detail": .string(message), "code": .string(code),
      "at": .optional(place), "remedy": .optional(remedy),
    ]
  }

  var response: Response {
    RequestNotes.current?.note(self)
    var headers = headers
    headers[.contentType] = "application/problem+json"
    headers[.cacheControl] = "no-store"
    return Response(
      status: status,
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: document.text + "\n"))
    )
  }

  /// Returns the status for an error of a store.
  static func status(of code: VarveError.Code) -> HTTPResponse.Status {
    switch code {
    case .notFound, .noSuchDocument: .notFound
    case .duplicateIdentifier, .ownersDead, .orphanRefused, .hookRefused, .missingDependencies,
      .typeMismatch, .kindMismatch, .nestedTransaction, .transactionEnded, .changedMeanwhile:
      .conflict
    case .unauthorized: .unauthorized
    case .forbidden: .forbidden
    case .compacted: .gone
    case .valueTooLarge: .contentTooLarge
    case .validationFailed, .unsupported, .newerFormat: .unprocessableContent
    case .readOnly: .forbidden
    case .busy, .closed, .suspended, .historyAwaited, .cancelled, .noContainer: .serviceUnavailable
    case .diskFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    case .damaged, .inputOutput, .notAStore, .keyMissing, .wrongKey, .notEncrypted:
      .internalServerError
    case .outcomeUnknown: .gatewayTimeout
    default: .badRequest
    }
  }
}
#endif

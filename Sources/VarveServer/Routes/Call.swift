#if Server
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import VarveCore
import VarveJSON
import VarveStore

/// A request on its way to a reply.
struct Call: Sendable {
  let request: Request
  let principal: Principal
  /// Returns the caller again, and throws if the token has lost its rights meanwhile.
  let review: @Sendable () async throws -> Principal
  let limits: ServerLimits
  /// Counts what the request costs.
  let tally: RequestTally
  /// Runs what replies.
  let work: RequestWork
  private let parameters: Parameters
  private let query: [String: [String]]

  init(
    _ request: Request,
    _ parameters: Parameters,
    _ caller: Caller,
    _ limits: ServerLimits,
    _ tally: RequestTally,
    _ work: RequestWork
  ) throws {
    self.request = request
    self.parameters = parameters
    principal = caller.principal
    review = caller.review
    self.limits = limits
    self.tally = tally
    self.work = work
    var query = try Self.query(request.uri.query ?? "")
    // It said who calls.
    query["ticket"] = nil
    self.query = query
  }

  /// Decodes a query. A plus sign does not stand for a space.
  private static func query(_ text: String) throws -> [String: [String]] {
    var query: [String: [String]] = [:]
    for part in text.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let decoded = pair.map(\.percentDecoded)
      guard let name = decoded[0], let value = decoded.count > 1 ? decoded[1] : "" else {
        throw VarveError(
          .invalidArgument,
          "the query is not encoded as UTF-8",
          at: String(part.prefix(100)),
          remedy: "Encode every byte outside of ASCII as %XX."
        )
      }
      query[name, default: []].append(value)
    }
    return query
  }

  /// Throws if the query has a name other than the given ones, or one of them twice; or if a request
  /// that changes something has a condition that would not be checked.
  ///
  /// - Parameter conditions: the headers with conditions that are checked.
  func allow(
    _ names: String...,
    repeated: String...,
    honouring conditions: Set<HTTPField.Name> = []
  ) throws {
    if ![.get, .head].contains(request.method) {
      let headers = [(HTTPField.Name.ifMatch, "If-Match"), (.ifNoneMatch, "If-None-Match")]
      for (header, name) in headers
      where request.headers[header] != nil && !conditions.contains(header) {
        throw VarveError(
          .invalidArgument,
          "this request takes no \(name)",
          at: "header \(name)",
          remedy:
            "Leave it out. If-Match is for one operation, and If-None-Match: * for the PUT of a "
            + "space."
        )
      }
    }
    for (name, values) in query where !repeated.contains(name) {
      guard names.contains(name), values.count == 1 else {
        throw VarveError(
          .invalidArgument,
          names.contains(name)
            ? "the parameter \"\(name)\" is repeated" : "there is no parameter \"\(name)\" here",
          at: "query",
          remedy: names.isEmpty
            ? "This takes none." : "This takes \(names.sorted().joined(separator: ", "))."
        )
      }
    }
  }

  /// Returns a parameter of the query.
  func parameter(_ name: String) -> String? { query[name]?.first }

  /// Returns all values of a parameter of the query.
  func parameters(_ name: String) -> [String] { query[name] ?? [] }

  /// Returns a part of the path.
  func part(_ name: String) throws -> String {
    guard let text = parameters.get(name)?.percentDecoded else {
      throw VarveError(
        .invalidArgument,
        "a part of the path is not encoded as UTF-8",
        at: "path",
        remedy: "Encode every byte outside of ASCII as %XX."
      )
    }
    return text
  }

  func spaceName() throws -> SpaceName { try SpaceName.parse(try part("space")) }

  func entityID() throws -> EntityID { try EntityID(try part("id")) }

  func count(_ name: String) throws -> Int? {
    guard let text = parameter(name) else { return nil }
    guard let count = Int(text), count >= 0 else {
      throw VarveError(
        .invalidArgument,
        "an integer from 0 is expected",
        at: "query, \(name)",
        remedy: "Leave it out, or write digits."
      )
    }
    return count
  }

  /// The requested number of entries in a page.
  func limit() throws -> Int {
    guard let count = try count("limit") else { return min(100, limits.pageCount) }
    guard count > 0 else {
      throw VarveError(
        .invalidArgument,
        "a page has at least one entry",
        at: "query, limit",
        remedy: "Leave it out, or write a number from 1."
      )
    }
    return min(count, limits.pageCount)
  }

  /// Returns the state that a parameter names; nil if there is no such parameter.
  func moment(_ name: String) throws -> MomentName? {
    guard let text = parameter(name) else { return nil }
    guard let moment = Self.moment(text) else {
      throw VarveError(
        .invalidArgument,
        "a state is expected",
        at: "query, \(name)",
        remedy: "Write it as \(MomentName.forms)."
      )
    }
    return moment
  }

  /// Returns the state with a name, which may be the list of heads that a space is described with.
  static func moment(_ text: String) -> MomentName? {
    MomentName(text) ?? (text.hasPrefix("[") ? MomentName(#"{"frontier":\#(text)}"#) : nil)
  }

  /// Returns the whole body.
  func body() async throws -> [UInt8] {
    let buffer = try await request.body.collect(upTo: limits.bodyByteCount)
    tally.count(buffer.readableBytes, of: .bytes)
    return Array(buffer.readableBytesView)
  }

  /// Throws unless the body is of one of the given types. A web page of another site cannot send
  /// any of them without asking the server first.
  func require(contentType types: String...) throws {
    let type = request.headers[.contentType]?.split(separator: ";").first.map { $0.trimmed }
    guard let type, types.contains(type.lowercased()) else {
      throw Problem(
        .unsupportedMediaType,
        "unsupportedMediaType",
        "the body is of type \(type?.prefix(100).description ?? "none")",
        at: "header Content-Type",
        remedy: "Send it as \(types.joined(separator: " or "))."
      )
    }
    let encoding = request.headers[.contentEncoding]?.trimmed.lowercased() ?? "identity"
    guard encoding == "identity" else {
      throw Problem(
        .unsupportedMediaType,
        "unsupportedMediaType",
        "the body is encoded as \(encoding.prefix(100))",
        at: "header Content-Encoding",
        remedy: "Send it without Content-Encoding."
      )
    }
  }
}
#endif

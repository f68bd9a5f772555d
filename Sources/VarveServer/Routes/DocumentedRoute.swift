#if Server
import HTTPTypes
import VarveJSON

/// A route as `GET /openapi.json` describes it.
struct DocumentedRoute: Sendable {
  /// The statuses of problems that every route of a space can reply with.
  static let problems = [400, 401, 403, 404, 410, 414, 421, 422, 429, 431, 500, 503, 507]

  let method: HTTPRequest.Method
  let path: String
  let summary: String
  private let parameters: [JSON]
  private let body: JSON?
  private let replies: [(Int, JSON)]
  private let problems: [Int]
  private let isPublic: Bool

  /// Describes a route.
  ///
  /// - Parameters:
  ///   - query: the names of the parameters of the query, with their schemas.
  ///   - headers: the names of the headers that it knows.
  ///   - body: the types of the body, with their schemas.
  ///   - replies: the statuses of success, each as often as it has types; nil for no body.
  ///   - problems: the statuses of problems.
  ///   - isPublic: whether it needs no token.
  init(
    _ method: HTTPRequest.Method,
    _ path: String,
    _ summary: String,
    query: [(String, JSON)] = [],
    headers: [String] = [],
    body: [(String, JSON)] = [],
    replies: [(Int, (String, JSON)?)],
    problems: [Int] = Self.problems,
    isPublic: Bool = false
  ) {
    self.isPublic = isPublic
    self.method = method
    self.path = path
    self.summary = summary
    self.problems = problems
    let named = path.split(separator: "/").filter { $0.hasPrefix("{") }
      .map { String($0.dropFirst().dropLast()) }
    parameters =
      named.map { name in
        ["name": .string(name), "in": "path", "required": true, "schema": Schemas.part(name)]
      }
      + query.map { name, schema in
        ["name": .string(name), "in": "query", "schema": schema]
      }
      + headers.map { name in
        ["name": .string(name), "in": "header", "schema": ["type": "string"]]
      }
    self.body =
      body.isEmpty ? nil : ["required": true, "content": Self.content(body)]
    var statuses: [Int] = []
    for (status, _) in replies where !statuses.contains(status) { statuses.append(status) }
    self.replies = statuses.map { status in
      let contents = replies.compactMap { $0.0 == status ? $0.1 : nil }
      guard !contents.isEmpty else { return (status, ["description": "Done."]) }
      return (status, ["description": "Done.", "content": Self.content(contents)])
    }
  }

  private static func content(_ types: [(String, JSON)]) -> JSON {
    .object(types.map { JSON.Member(name: $0.0, value: ["schema": $0.1]) })
  }

  /// The route in the document.
  var json: JSON {
    var responses = replies.map { JSON.Member(name: "\($0.0)", value: $0.1) }
    for status in problems {
      responses.append(
        JSON.Member(name: "\(status)", value: ["$ref": "#/components/responses/Problem"])
      )
    }
    return json(method, summary, responses)
  }

  /// What the route replies to HEAD, in the document: the same without a body. A stream has no
  /// head of its own.
  var head: JSON {
    let statuses = replies.filter { !Self.isStream($0.1) }.map(\.0) + problems
    let responses = statuses.map { status in
      JSON.Member(name: "\(status)", value: ["description": "As GET, without a body."])
    }
    let refusal = JSON.Member(name: "405", value: ["description": "A stream has no HEAD."])
    let isStream = replies.contains { Self.isStream($0.1) }
    return json(.head, "The headers of GET.", responses + (isStream ? [refusal] : []))
  }

  /// Whether the route replies to HEAD: what is a stream alone does not.
  var hasHead: Bool {
    method == .get && !replies.filter { $0.0 < 300 }.allSatisfy { Self.isStream($0.1) }
  }

  private static func isStream(_ reply: JSON) -> Bool { reply["content"]?[Reply.events] != nil }

  private func json(
    _ method: HTTPRequest.Method,
    _ summary: String,
    _ responses: [JSON.Member]
  ) -> JSON {
    var members = [
      JSON.Member(name: "summary", value: .string(summary)),
      JSON.Member(name: "operationId", value: .string(identifier(method))),
    ]
    if isPublic { members.append(JSON.Member(name: "security", value: [])) }
    if !parameters.isEmpty {
      members.append(JSON.Member(name: "parameters", value: .array(parameters)))
    }
    if let body, method != .head {
      members.append(JSON.Member(name: "requestBody", value: body))
    }
    members.append(JSON.Member(name: "responses", value: .object(responses)))
    return .object(members)
  }

  private func identifier(_ method: HTTPRequest.Method) -> String {
    let words = path.split { !$0.isLetter && !$0.isNumber }
    return method.rawValue.lowercased()
      + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
      .joined()
  }
}
#endif

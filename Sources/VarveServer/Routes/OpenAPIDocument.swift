import HTTPTypes
import VarveJSON

/// The description of all routes: `GET /openapi.json`.
///
/// It is written here once; a test holds it against the routes that the server has.
enum OpenAPIDocument {
  /// The document, OpenAPI 3.1.
  static let json: JSON = [
    "openapi": "3.1.0",
    "info": [
      "title": "Varve", "version": "0.1.0",
      "description": "Spaces of entities with their whole history. Documentation/Server.md.",
    ],
    "security": [["token": []]],
    "paths": paths,
    "components": [
      "schemas": Schemas.named,
      "responses": [
        "Problem": [
          "description": "A problem document (RFC 9457) with a code and a remedy.",
          "content": ["application/problem+json": ["schema": Schemas.reference("Problem")]],
        ]
      ],
      "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
    ],
  ]

  private static var paths: JSON {
    var order: [String] = []
    var methods: [String: [JSON.Member]] = [:]
    for route in routes {
      if methods[route.path] == nil { order.append(route.path) }
      methods[route.path, default: []].append(
        JSON.Member(name: route.method.rawValue.lowercased(), value: route.json)
      )
    }
    return .object(order.map { JSON.Member(name: $0, value: .object(methods[$0] ?? [])) })
  }

  /// All routes.
  static var routes: [DocumentedRoute] { host + spaces + reading + writing + synchronising }

  private static let asOf: [(String, JSON)] = [("asOf", Schemas.text)]
  private static let paging: [(String, JSON)] = [
    ("cursor", Schemas.text), ("limit", Schemas.count),
  ]

  private static func json(_ schema: JSON) -> (Int, (String, JSON)?) { (200, (Reply.json, schema)) }

  private static func read(
    _ path: String,
    _ summary: String,
    query: [(String, JSON)],
    _ schema: JSON
  ) -> DocumentedRoute {
    DocumentedRoute(
      .get,
      "/v1/spaces/{space}/\(path)",
      summary,
      query: query,
      headers: ["If-None-Match", "Varve-Position"],
      replies: [json(schema), (304, nil)],
      problems: DocumentedRoute.problems + [409]
    )
  }

  private static let host = [
    DocumentedRoute(
      .get,
      "/healthz",
      "Whether the server runs.",
      replies: [json(Schemas.object)],
      problems: []
    ),
    DocumentedRoute(
      .get,
      "/readyz",
      "Whether the server can serve.",
      replies: [json(Schemas.object), (503, (Reply.json, Schemas.object))],
      problems: []
    ),
    DocumentedRoute(
      .get,
      "/metrics",
      "What is measured, in the text format of Prometheus.",
      replies: [(200, ("text/plain", Schemas.text))],
      problems: [401, 403, 421, 503]
    ),
    DocumentedRoute(
      .get,
      "/openapi.json",
      "This document.",
      replies: [json(Schemas.object)],
      problems: [403, 421]
    ),
    DocumentedRoute(
      .get,
      "/v1",
      "Versions, operations and limits.",
      replies: [json(Schemas.object)],
      problems: [401, 403, 414, 421, 429, 503, 400]
    ),
    DocumentedRoute(
      .get,
      "/v1/spaces",
      "The spaces that the caller is a member of.",
      query: paging,
      replies: [json(Schemas.page(Schemas.reference("SpaceListing")))]
    ),
    DocumentedRoute(
      .post,
      "/v1/tickets",
      "A ticket, which stands for the caller's token in one GET request.",
      replies: [
        (
          201,
          (
            Reply.json,
            Schemas.object([("ticket", Schemas.text), ("seconds", Schemas.count)])
          )
        )
      ]
    ),
    DocumentedRoute(
      .post,
      "/v1/enter",
      "Opens a session for the browser that brings the ticket of the server's link.",
      body: [(Reply.json, Schemas.object([("ticket", Schemas.text)]))],
      replies: [(204, nil)],
      problems: [400, 401, 403, 404, 413, 415, 421]
    ),
    DocumentedRoute(
      .get,
      "/",
      "The inspector: a page that shows what the spaces contain, and what they ever did.",
      headers: ["If-None-Match"],
      replies: [(200, ("text/html", Schemas.text)), (304, nil)],
      problems: [403, 421]
    ),
    DocumentedRoute(
      .get,
      "/inspector/{file}",
      "A file of the inspector.",
      headers: ["If-None-Match"],
      replies: [
        (200, ("text/javascript", Schemas.text)), (200, ("text/css", Schemas.text)),
        (200, ("image/svg+xml", Schemas.text)), (304, nil),
      ],
      problems: [403, 404, 421]
    ),
  ]

  private static let spaces = [
    DocumentedRoute(
      .put,
      "/v1/spaces/{space}",
      "Creates the space.",
      replies: [
        json(Schemas.object([("name", Schemas.text), ("id", Schemas.text)])),
        (201, (Reply.json, Schemas.object([("name", Schemas.text), ("id", Schemas.text)]))),
      ]
    ),
    DocumentedRoute(
      .get,
      "/v1/spaces/{space}",
      "Its id, position and frontier.",
      headers: ["If-None-Match", "Varve-Position"],
      replies: [json(Schemas.reference("Space")), (304, nil)]
    ),
    DocumentedRoute(
      .delete,
      "/v1/spaces/{space}",
      "Ends the space with this id, and removes its files.",
      query: [("id", Schemas.text)],
      replies: [json(Schemas.object)]
    ),
    DocumentedRoute(
      .get,
      "/v1/spaces/{space}/backup",
      "A checked copy of the space's file.",
      replies: [(200, ("application/vnd.varve.store", Schemas.bytes))]
    ),
    DocumentedRoute(
      .get,
      "/v1/spaces/{space}/webhooks",
      "The webhooks of the space, and the events that were given up.",
      replies: [json(Schemas.object)]
    ),
  ]

  private static let reading = [
    read(
      "entities/{id}",
      "An entity, with its relations.",
      query: asOf,
      Schemas.reference("EntityWithRelations")
    ),
    read(
      "entities/{id}/history",
      "Its versions, newest first.",
      query: asOf + [("key", Schemas.text), ("limit", Schemas.count)],
      Schemas.list(Schemas.object)
    ),
    DocumentedRoute(
      .get,
      "/v1/spaces/{space}/entities/{id}/values/{key}",
      "A text or data as it is, in parts by Range.",
      query: asOf,
      headers: ["Range", "If-Range", "If-None-Match", "Varve-Position"],
      replies: [
        (200, ("*/*", Schemas.bytes)), (206, ("*/*", Schemas.bytes)), (304, nil),
      ],
      problems: DocumentedRoute.problems + [409, 416]
    ),
    read(
      "types",
      "The types, with the number of entities.",
      query: asOf,
      Schemas.list(Schemas.object([("type", Schemas.text), ("count", Schemas.count)]))
    ),
    read(
      "types/{type}",
      "Entities; `where` is a condition of the operation `query`.",
      query: asOf + paging + [("where", Schemas.text), ("order", Schemas.text)],
      Schemas.page(Schemas.reference("Entity"))
    ),
    read(
      "log",
      "Commits, newest arrival first.",
      query: asOf + paging,
      Schemas.page(Schemas.object)
    ),
    read(
      "diff",
      "What differs between two states.",
      query: [("from", Schemas.text), ("to", Schemas.text)],
      Schemas.object
    ),
    read("conflicts", "What merges left to decide.", query: asOf, Schemas.list(Schemas.object)),
    read(
      "issues",
      "Duplicates, cycles and disagreements.",
      query: asOf + [("unique", Schemas.array(Schemas.text))],
      Schemas.list(Schemas.object)
    ),
  ]

  private static let writing = [
    DocumentedRoute(
      .post,
      "/v1/spaces/{space}/operations",
      "Runs one operation, or JSON Lines of them.",
      headers: ["Idempotency-Key", "If-Match", "Varve-Position"],
      body: [
        (Reply.json, Schemas.reference("Operation")), (Reply.jsonLines, Schemas.bytes),
      ],
      replies: [json(Schemas.reference("Result")), (200, (Reply.jsonLines, Schemas.text))],
      problems: DocumentedRoute.problems + [409, 412, 413, 415, 504]
    )
  ]

  private static let synchronising = [
    DocumentedRoute(
      .post,
      "/v1/spaces/{space}/compare",
      "Says which of the caller's commits are here, and what else is.",
      body: [(Reply.sync, Schemas.bytes)],
      replies: [(200, (Reply.sync, Schemas.bytes))],
      problems: DocumentedRoute.problems + [413, 415]
    ),
    DocumentedRoute(
      .post,
      "/v1/spaces/{space}/want",
      "Commits that the caller lacks.",
      body: [(Reply.sync, Schemas.bytes)],
      replies: [(200, (Reply.sync, Schemas.bytes))],
      problems: DocumentedRoute.problems + [413, 415]
    ),
    DocumentedRoute(
      .get,
      "/v1/spaces/{space}/commits",
      "Commits that arrived after a position.",
      query: [("after", Schemas.text)],
      replies: [(200, (Reply.sync, Schemas.bytes))],
      problems: DocumentedRoute.problems + [409]
    ),
    DocumentedRoute(
      .post,
      "/v1/spaces/{space}/commits",
      "Hands over commits; the reply says which are durable.",
      body: [(Reply.sync, Schemas.bytes)],
      replies: [(200, (Reply.sync, Schemas.bytes))],
      problems: DocumentedRoute.problems + [409, 413, 415]
    ),
    DocumentedRoute(
      .get,
      "/v1/spaces/{space}/changes",
      "What each transaction changed, as server-sent events.",
      query: [("after", Schemas.text)],
      headers: ["Last-Event-ID"],
      replies: [(200, ("text/event-stream", Schemas.text))]
    ),
    DocumentedRoute(
      .get,
      "/v1/spaces/{space}/live",
      "Announces the place after the last arrival, as server-sent events.",
      replies: [(200, ("text/event-stream", Schemas.text))]
    ),
  ]
}

#if Server
import HTTPTypes
import VarveJSON
import VarveStore

/// The description of all routes: `GET /openapi.json`.
///
/// It is written here once; a test holds it against the routes that the server has.
enum OpenAPIDocument {
  /// The document, OpenAPI 3.1.
  static let json: JSON = [
    "openapi": "3.1.0",
    "info": [
      "title": "Varve", "version": .string(VarveVersion.text),
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
      var members = [JSON.Member(name: route.method.rawValue.lowercased(), value: route.json)]
      if route.method == .get { members.append(JSON.Member(name: "head", value: route.head)) }
      methods[route.path, default: []] += members
    }
    return .object(order.map { JSON.Member(name: $0, value: .object(methods[$0] ?? [])) })
  }

  /// All routes.
  static let routes: [DocumentedRoute] = {
    let routes = host + spaces + reading + writing + synchronising
    return routes + preflights(of: routes)
  }()

  /// The paths, below `/v1`, of which a browser asks whether a page may use them. Empty for `/v1`.
  static let sharedPaths: [String] = sharedPaths(of: routes)

  private static func sharedPaths(of routes: [DocumentedRoute]) -> [String] {
    let paths = routes.map(\.path).filter { $0 == "/v1" || $0.hasPrefix("/v1/") }
    return Set(paths).sorted().map { String($0.dropFirst("/v1/".count)) }
  }

  /// What browsers ask before a page of another site may send a request.
  private static func preflights(of routes: [DocumentedRoute]) -> [DocumentedRoute] {
    sharedPaths(of: routes).map { path in
      DocumentedRoute(
        .options,
        path.isEmpty ? "/v1" : "/v1/\(path)",
        "Whether pages of another site may call (CORS); the headers of the reply say which.",
        replies: [(204, nil)],
        problems: [],
        isPublic: true
      )
    }
  }

  static let asOf: [(String, JSON)] = [("asOf", Schemas.text)]
  static let paging: [(String, JSON)] = [
    ("cursor", Schemas.text), ("limit", Schemas.count),
  ]

  static func json(_ schema: JSON) -> (Int, (String, JSON)?) { (200, (Reply.json, schema)) }

  static func read(
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
      problems: [],
      isPublic: true
    ),
    DocumentedRoute(
      .get,
      "/readyz",
      "Whether the server can serve.",
      replies: [json(Schemas.object), (503, (Reply.json, Schemas.object))],
      problems: [],
      isPublic: true
    ),
    DocumentedRoute(
      .get,
      "/metrics",
      "What is measured, in the text format of Prometheus.",
      replies: [(200, ("text/plain", Schemas.text))],
      problems: [400, 401, 403, 421, 431, 503]
    ),
    DocumentedRoute(
      .get,
      "/openapi.json",
      "This document.",
      replies: [json(Schemas.object)],
      problems: [400, 403, 421, 431],
      isPublic: true
    ),
    DocumentedRoute(
      .get,
      "/v1",
      "Versions, operations and limits.",
      replies: [json(Schemas.object)],
      problems: [400, 401, 403, 414, 421, 429, 431, 503]
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
      problems: [400, 401, 403, 404, 413, 415, 421, 431],
      isPublic: true
    ),
    DocumentedRoute(
      .get,
      "/",
      "The inspector: a page that shows what the spaces contain, and what they ever did.",
      headers: ["If-None-Match"],
      replies: [(200, ("text/html", Schemas.text)), (304, nil)],
      problems: [400, 403, 421, 431],
      isPublic: true
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
      problems: [400, 403, 404, 421, 431],
      isPublic: true
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
    DocumentedRoute(
      .get,
      "/v1/spaces/{space}/grants",
      "The roles in the space that the server keeps for subjects of signed tokens.",
      replies: [json(Schemas.list(Schemas.reference("Grant")))]
    ),
    DocumentedRoute(
      .post,
      "/v1/spaces/{space}/grants",
      "Grants a subject of signed tokens a role, in place of the one it has.",
      body: [(Reply.json, Schemas.reference("GrantRequest"))],
      replies: [
        json(Schemas.reference("Grant")), (201, (Reply.json, Schemas.reference("Grant"))),
      ],
      problems: DocumentedRoute.problems + [413, 415]
    ),
    DocumentedRoute(
      .delete,
      "/v1/spaces/{space}/grants",
      "Revokes the role of a subject.",
      query: [("subject", Schemas.text), ("issuer", Schemas.text)],
      replies: [json(Schemas.reference("Grant"))]
    ),
  ]
}
#endif

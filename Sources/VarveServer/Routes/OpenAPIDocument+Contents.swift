#if Server
import HTTPTypes
import VarveJSON

/// The routes by which a space is read, written and synchronised.
extension OpenAPIDocument {
  static let reading = [
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
      "Duplicates, repetitions, cycles and disagreements.",
      query: asOf + [
        ("unique", Schemas.array(Schemas.text)), ("list", Schemas.array(Schemas.text)),
      ],
      Schemas.list(Schemas.object)
    ),
  ]

  static let writing = [
    DocumentedRoute(
      .post,
      "/v1/spaces/{space}/operations",
      "Runs one operation, or JSON Lines of them.",
      headers: ["Idempotency-Key", "If-Match", "Varve-Position", "Varve-Result"],
      body: [
        (Reply.json, Schemas.reference("Operation")), (Reply.jsonLines, Schemas.bytes),
      ],
      replies: [
        json(Schemas.reference("Result")), (200, (Reply.jsonLines, Schemas.text)), (204, nil),
      ],
      problems: DocumentedRoute.problems + [409, 412, 413, 415, 504]
    )
  ]

  static let synchronising = [
    DocumentedRoute(
      .post,
      "/v1/spaces/{space}/sealed",
      "A round of an exchange of memberships of a sealed space.",
      body: [(Reply.sync, Schemas.bytes)],
      replies: [(200, (Reply.sync, Schemas.bytes))],
      problems: DocumentedRoute.problems + [413, 415]
    ),
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
      headers: ["Varve-Space"],
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
      headers: ["Varve-Space"],
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
      replies: [(200, (Reply.events, Schemas.event("changes", "reset")))]
    ),
    DocumentedRoute(
      .get,
      "/v1/spaces/{space}/live",
      "Announces the place after the last arrival, as server-sent events.",
      replies: [(200, (Reply.events, Schemas.event("head")))]
    ),
  ]
}
#endif

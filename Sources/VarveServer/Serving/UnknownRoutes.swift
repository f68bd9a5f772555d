#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import VarveCore

/// Replies to requests with a target that is too long, and to those for which there is no route.
struct UnknownRoutes<Context: RequestContext>: RouterMiddleware {
  let limits: ServerLimits

  @concurrent
  func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard (request.head.path?.utf8.count ?? 0) <= limits.targetByteCount else {
      return Problem.longTarget.response
    }
    do {
      return try await next(request, context)
    } catch let error as HTTPError where error.status == .notFound {
      return Self.reply(to: request)
    } catch {
      return Problem.of(error).response
    }
  }

  /// The reply to a request for which there is no route.
  static func reply(to request: Request) -> Response {
    let path = request.uri.path
    guard path.percentDecoded != nil else { return unreadable.response }
    let methods = KnownPaths.methods(of: path)
    if !methods.isEmpty, !methods.contains(request.method.rawValue) {
      return wrongMethod(request, methods).response
    }
    if let page = page(for: request) { return page }
    return Problem(
      .notFound,
      "noSuchRoute",
      "there is nothing to \(request.method.rawValue) at \(path.prefix(100))",
      at: "path",
      remedy: "Documentation/Server.md lists the routes."
    ).response
  }

  /// The reply to a browser that opens the address by which a space is synchronised: the inspector
  /// shows it.
  private static func page(for request: Request) -> Response? {
    let parts = request.uri.path.split(separator: "/")
    let accepted = request.headers[values: .accept].joined(separator: ",").lowercased()
    guard request.method == .get, parts.count == 1, let name = SpaceName(String(parts[0])),
      accepted.contains("text/html")
    else { return nil }
    // Relative, because the server may be behind a prefix.
    let target = request.uri.path.hasSuffix("/") ? "../#/" : "./#/"
    return Response(
      status: .seeOther,
      headers: [.location: target + name.text, .cacheControl: "no-store"]
    )
  }

  private static var unreadable: Problem {
    Problem(
      .badRequest,
      VarveError.Code.invalidArgument.rawValue,
      "the path is not encoded as UTF-8",
      at: "path",
      remedy: "Encode every byte outside of ASCII as %XX."
    )
  }

  private static func wrongMethod(_ request: Request, _ methods: [String]) -> Problem {
    let list = methods.joined(separator: ", ")
    var problem = Problem(
      .methodNotAllowed,
      "methodNotAllowed",
      "this path has no \(request.method.rawValue)",
      at: "method",
      remedy: "Use \(list)."
    )
    problem.headers[.allow] = list
    return problem
  }
}

/// The paths of a server, and the methods of each.
enum KnownPaths {
  private static let routes: [(parts: [String], methods: [String])] =
    (OpenAPIDocument.routes.map { route in
      (route.path, [route.method.rawValue] + (route.hasHead ? ["HEAD"] : []))
    }
    + [("/", ["GET", "HEAD"]), ("/inspector/{file}", ["GET", "HEAD"])]).map { path, methods in
      (path.split(separator: "/").map(String.init), methods)
    }

  /// Returns the methods of a path; none if there is nothing at it.
  static func methods(of path: String) -> [String] {
    let parts = path.split(separator: "/").map(String.init)
    let methods = Set(
      routes.filter { route in
        route.parts.count == parts.count
          && zip(route.parts, parts).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
      }.flatMap(\.methods)
    )
    return methods.sorted()
  }
}
#endif

import HTTPTypes
import Hummingbird
import HummingbirdCore

/// Replies to requests for which there is no route with a problem document.
struct UnknownRoutes: RouterMiddleware {
  typealias Context = ServedContext

  @concurrent
  func handle(
    _ request: Request,
    context: ServedContext,
    next: @concurrent (Request, ServedContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError where error.status == .notFound {
      let path = request.uri.path.prefix(100)
      return Problem(
        .notFound,
        "noSuchRoute",
        "there is nothing to \(request.method.rawValue) at \(path)",
        at: "path",
        remedy: "Documentation/Server.md lists the routes."
      ).response
    } catch {
      return Problem.of(error).response
    }
  }
}

#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Metrics
import NIOCore

extension VarveServer {
  /// Adds `GET /metrics`, which needs a token of an operator, unless the server is open.
  func addMetrics(to router: Router<ServedContext>, of routes: VarveRoutes) {
    let openSpaces = Gauge(label: "varve_open_spaces", factory: metrics)
    let openStreams = Gauge(label: "varve_open_streams", factory: metrics)
    let home = HomeGauges(spaces, metrics)
    let names = ownNames
    router.get("metrics") { [metrics, spaces] request, _ in
      do {
        try names.require(request)
        try await routes.caller(of: request).principal.requireOperator()
      } catch {
        return routes.cover.covered(Problem.of(error), in: nil).response
      }
      openSpaces.record(await spaces.openCount)
      openStreams.record(routes.streams.count)
      await home?.record()
      return Response(
        status: .ok,
        headers: [.contentType: "text/plain; version=0.0.4", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text()))
      )
    }
  }
}

extension VarveServer {
  /// Adds `GET /openapi.json`, which needs no token: it says only what this documentation says.
  func addDescription(to router: Router<ServedContext>) {
    let names = ownNames
    router.get("openapi.json") { request, _ in
      do { try names.require(request) } catch { return Problem.of(error).response }
      return names.shared(
        Compression.compressed(Reply.document(OpenAPIDocument.json), for: request),
        with: request
      )
    }
  }

  /// The routes that the server has, as `METHOD /path/{parameter}`.
  package var routeNames: Set<String> {
    Set(
      router().routes.map { route in
        let path = route.path.description.split(separator: "/").map { part in
          part.hasPrefix(":") ? "{\(part.dropFirst())}" : String(part)
        }
        return "\(route.method) /\(path.joined(separator: "/"))"
      }
    )
  }

  /// The routes that `GET /openapi.json` describes.
  package static var documentedRouteNames: Set<String> {
    Set(OpenAPIDocument.routes.map { "\($0.method) \($0.path)" })
  }
}
#endif

#if CommandLine && Server
// The guide shows what follows the first blank line, with Vapor in the place of NIOHTTP1.
import HTTPTypes
import NIOHTTP1
import VarveServer

extension Application {
  /// Serves Varve's routes under `/data`.
  func addVarve(_ routes: HostedRoutes) {
    for method in [HTTPMethod.GET, .HEAD, .POST, .PUT, .DELETE, .OPTIONS] {
      on(method, "data", "**", body: .stream) { request in
        var head = HTTPRequest(
          method: .init(request.method.rawValue) ?? .get,
          scheme: nil,
          authority: nil,
          path: request.url.string
        )
        for (name, value) in request.headers {
          guard let name = HTTPField.Name(name) else { continue }
          head.headerFields.append(HTTPField(name: name, value: value))
        }
        let reply = await routes.reply(to: HostedRequest(head, body: request.body))
        let fields = reply.head.headerFields.map { ($0.name.rawName, $0.value) }
        return Response(
          status: .init(statusCode: reply.head.status.code),
          headers: HTTPHeaders(fields),
          body: .init(
            managedAsyncStream: { writer in
              try await reply.writeBody { try await writer.writeBuffer($0) }
            },
            count: reply.contentLength ?? -1
          )
        )
      }
    }
  }
}
#endif

#if Server
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import VarveCore

extension VarveServer {
  /// Adds the inspector's page and its files. They need no token: they contain nothing of a space.
  func addInspector(to router: Router<ServedContext>) {
    let names = ownNames
    router.get("/") { request, _ in Self.reply(request, with: "index.html", names) }
    router.get("inspector/:file") { request, context in
      Self.reply(request, with: context.parameters.get("file") ?? "", names)
    }
  }

  private static func reply(_ request: Request, with name: String, _ names: ServerNames) -> Response
  {
    do { try names.require(request) } catch { return Problem.of(error).response }
    guard let file = PageFile.named(name) else {
      return Problem(
        .notFound,
        "noSuchRoute",
        "the inspector has no such file",
        at: "path",
        remedy: "Open the page at /."
      ).response
    }
    var headers: HTTPFields = [
      .contentType: file.type, .eTag: file.tag, .cacheControl: "no-cache",
      .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
      .resourcePolicy: "same-origin",
    ]
    if Reply.isKnown(file.tag, request) { return Response(status: .notModified, headers: headers) }
    headers[.contentSecurityPolicy] = policy
    headers[.openerPolicy] = "same-origin"
    let body = ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes))
    return Compression.compressed(Response(status: .ok, headers: headers, body: body), for: request)
  }

  /// The page loads its own files only, runs no script that stands in it, and cannot be framed.
  private static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'
    """
}
#endif

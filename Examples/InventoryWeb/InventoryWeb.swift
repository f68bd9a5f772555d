#if Server
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import VarveServer

/// The context of the application's requests. With it, and a `DepartureHandler` on each connection,
/// what a client asked for ends when the client leaves.
struct PageContext: RequestContext, DepartureContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

/// A web page over a shared inventory. Devices synchronise with the same space.
///
/// ```sh
/// inventory-web stores 8080
/// open http://127.0.0.1:8080/
/// ```
@main
struct InventoryWeb {
  static func main() async throws {
    let words = CommandLine.arguments.dropFirst()
    guard words.count == 2, let folder = words.first, let port = words.last.flatMap({ Int($0) })
    else {
      print("usage: inventory-web FOLDER PORT")
      exit(64)
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let spaces = try SpaceDirectory(folder)
    let router = Router(context: PageContext.self)
    for (path, type, text) in [
      ("/", "text/html; charset=utf-8", Page.document), ("page.css", "text/css", Page.style),
      ("page.js", "text/javascript", Page.script),
    ] {
      router.get(RouterPath(path)) { _, _ in reply(text, type) }
    }
    VarveRoutes(spaces, access: .open, names: ServerNames(hosts: ["127.0.0.1", "localhost"]))
      .add(to: router.group("data"))
    let application = Application(
      router: router,
      server: .http1(configuration: .init(additionalChannelHandlers: [DepartureHandler()])),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        print("listening on http://127.0.0.1:\(channel.localAddress?.port ?? port)")
        fflush(nil)
      }
    )
    try await application.runService()
    // Everything is on the disk once the spaces are closed.
    await spaces.close()
  }

  private static func reply(_ text: String, _ type: String) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: type, .cacheControl: "no-cache",
        .contentSecurityPolicy: "default-src 'self'; frame-ancestors 'none'",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text))
    )
  }
}
#endif

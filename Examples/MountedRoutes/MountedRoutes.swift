#if Server
import Foundation
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

/// An application of Hummingbird with a page of its own, and Varve's routes under `/data`.
///
/// ```sh
/// mounted-routes stores 8080
/// curl http://127.0.0.1:8080/
/// curl -X PUT http://127.0.0.1:8080/data/v1/spaces/hats
/// ```
@main
struct MountedRoutes {
  static func main() async throws {
    let words = CommandLine.arguments.dropFirst()
    guard words.count == 2, let folder = words.first, let port = words.last.flatMap({ Int($0) })
    else {
      print("usage: mounted-routes FOLDER PORT")
      exit(64)
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let spaces = try SpaceDirectory(folder)
    let router = Router(context: PageContext.self)
    router.get("/") { _, _ in "a page of the application\n" }
    VarveRoutes(spaces, access: .open).add(to: router.group("data"))
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
}
#endif

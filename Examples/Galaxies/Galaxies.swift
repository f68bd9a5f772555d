#if Server
import Foundation
import Hummingbird
import NIOCore
import Varve

/// Galaxies, stars and tags over HTTP.
///
/// ```sh
/// galaxies astronomy.varve 8080
/// curl http://127.0.0.1:8080/api/galaxies
/// ```
@main
struct Galaxies {
  static func main() async throws {
    let words = CommandLine.arguments.dropFirst()
    guard words.count == 2, let path = words.first, let port = words.last.flatMap({ Int($0) })
    else {
      print("usage: galaxies FILE PORT")
      exit(64)
    }
    let store = try await Store.open(path)
    let router = Router()
    Routes(store: store).add(to: router.group("api"))
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        print("listening on http://127.0.0.1:\(channel.localAddress?.port ?? port)")
        fflush(nil)
      }
    )
    try await application.runService()
    try await store.close()
  }
}
#endif

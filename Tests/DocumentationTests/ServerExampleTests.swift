#if Server
import Foundation
import Testing
import Varve
import VarveClient
import VarvePostgres
import VarveSealed
import VarveServer

/// Code that needs a server, PostgreSQL or a folder of keys. It is compiled here; the tests of those
/// modules run what it calls.
enum ServerExamples {
  /// What an application of another framework has once it mounts Varve's routes.
  struct Application {
    func addVarve(_ routes: HostedRoutes) {}
  }

  static func following() async throws {
    // snippet: Documentation/Server.md
    for try await change in RemoteSpace("http://127.0.0.1:8642/hats").changes() {
      guard case .changes(let set) = change.content else { continue }
      print(set.added, set.changed, set.erased)
    }
    // end
  }

  static func mounting(in application: Application) async throws {
    // snippet: Documentation/Server.md
    let spaces = try SpaceDirectory("/srv/varve")
    application.addVarve(HostedRoutes(VarveRoutes(spaces, access: .open), below: "/data"))
    // end
  }

  static func home() async throws -> Store {
    // snippet: Documentation/PostgreSQL.md
    try await PostgresHome.prepare("postgres://app@db.example/varve")
    let home = try await PostgresHome("postgres://app@db.example/varve")
    let store = try await Store.open(.space("hats", at: home, index: .file("cache/hats.varve")))
    // end
    return store
  }

  static func sealed() async throws -> [String] {
    // snippet: Documentation/Security.md
    var configuration = Store.Configuration()
    configuration.seal = try .member(with: .folder("keys"))  // this device's secrets, mode 700
    let store = try await Store.open("team.varve", configuration: configuration)
    let recoveryKey = try await store.sealSpace()  // print it; it is kept nowhere
    let code = try await store.invite(.writer)  // give it to the new member, not by the relay
    // end
    return [recoveryKey, code]
  }
}

@Suite struct ServerExampleTests {
  @Test func `the inspector starts in a program`() async throws {
    let store = try await Store.open(.inMemory)
    // snippet: Documentation/Inspector.md
    let inspector = try await Inspector(store).start()
    print(inspector.link)
    // end
    #expect("\(inspector.link)".hasPrefix("http://127.0.0.1:"))
    await inspector.stop()
  }
}
#endif

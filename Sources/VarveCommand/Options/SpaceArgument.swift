#if CommandLine && Client
import ArgumentParser
import VarveClient

/// The address of a space.
struct SpaceArgument: ParsableArguments {
  @Argument(help: "The address of the space.") var url: String

  func validate() throws {
    guard RemoteSpace(url).name != nil else { throw Self.missing }
  }

  static let missing = UsageError(
    "Write the address of the server and the name of the space, without a password or a query: "
      + "https://host/name."
  )

  var name: String { RemoteSpace(url).name ?? "" }

  func server(_ token: String?) -> RemoteServer {
    RemoteServer(RemoteSpace(url).server, token: token)
  }
}
#endif

#if CommandLine
/// Remedies of a server, which name requests and headers, in the words of the command line.
enum ServerRemedies {
  /// Returns a remedy that names commands and options where the server's names requests and headers.
  static func inCommands(_ remedy: String) -> String {
    commands.reduce(remedy) { $0.replacing($1.request, with: $1.command) }
  }

  private static let commands: [(request: String, command: String)] = [
    (
      "Send a token in the header Authorization: Bearer TOKEN.",
      "Name the file of the token by --token-file, or set VARVE_TOKEN."
    ),
    ("PUT creates it;", "varve space create creates it;"),
    ("PUT creates another space", "varve space create creates another space"),
    ("GET /v1/spaces lists the spaces", "varve space list lists the spaces"),
    ("GET the space, and name the id it has.", "Name the id that varve space list shows."),
    ("GET the space and name its id,", "Name the id that varve space list shows,"),
    ("GET …/grants lists the subjects", "varve grant list lists the subjects"),
    (
      "Try again after the number of seconds that Retry-After says.",
      "Try again later: the quota refills by the minute."
    ),
    ("GET /v1 lists the limits.", "An operator of the server sets the limits."),
  ]
}
#endif

#if CommandLine
import ArgumentParser

/// The commands that serve stores, which need the trait `Server`.
enum ServeCommands {
  #if Server
  static let groups = [
    CommandGroup(
      name: "Serve",
      subcommands: [
        InspectCommand.self, ServeCommand.self, TokenCommand.self, GrantCommand.self,
        WebhookCommand.self, HomeCommand.self, ProjectCommand.self,
      ]
    )
  ]

  /// Throws if the name is that of a command that was left out.
  static func refuse(_: String) throws {}
  #else
  static let groups: [CommandGroup] = []

  private static let names: Set = [
    "inspect", "serve", "token", "grant", "webhook", "home", "project",
  ]

  /// Throws if the name is that of a command that was left out.
  static func refuse(_ name: String) throws {
    guard names.contains(name) else { return }
    throw UsageError(
      "This varve was built without its server, which has \"\(name)\": build it with the trait Server."
    )
  }
  #endif
}
#endif

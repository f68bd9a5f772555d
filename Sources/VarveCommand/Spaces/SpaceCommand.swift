#if CommandLine
import ArgumentParser

/// `varve space`
struct SpaceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "space",
    abstract: "Seal a space and change its members; manage the spaces of a server.",
    discussion: """
      What a store of a sealed space writes is encrypted and signed before it leaves the device. Its \
      members read it, and servers and folders that pass it on do not. Every device has its own keys, in a \
      folder that --keys or VARVE_KEYS names; by default it is varve/keys in the user's folder for \
      settings.

      The commands on spaces of a server, which varve serve serves, take an address. VARVE_TOKEN, or a \
      file named by --token-file, holds the token that the server asks for.

      Examples:
        varve space seal team.varve
        varve space invite team.varve --role writer
        varve space join mine.varve --code-file code
        varve space members team.varve
        varve space remove team.varve 3f2a90c1d2e4
        varve space create http://127.0.0.1:8642/hats
        varve space create http://127.0.0.1:8642/team --relay team.varve
        varve space backup http://127.0.0.1:8642/hats monday.varve
        varve space restore monday.varve stores/hats
      """,
    subcommands: [
      Seal.self, Invite.self, Join.self, Members.self, Role.self, Remove.self, Rotate.self,
      JoinBranch.self, Recover.self,
    ] + onServers
  )

  #if !Server
  static let onServers: [any ParsableCommand.Type] = []
  #endif
}
#endif

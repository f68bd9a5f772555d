#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveSealed
import VarveStore

// The members of a sealed space.
extension SpaceCommand {
  /// `varve space members`
  struct Members: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the devices of a sealed space.",
      discussion: """
        Removed devices are listed too. Only the beginning of a device's id is shown; with --json and --csv, \
        all of it.

        Examples:
          varve space members team.varve
          varve space members team.varve --json
        """
    )

    @OptionGroup var file: StoreFile
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let (members, membership) = try await file.use(readOnly: true) { store in
        try await store.requireSealed(at: file.store)
        return (try await store.members(), try await store.membership())
      }
      var answer = Answer(membership.json(members))
      if !members.isEmpty { answer.show(Self.table(members, isShort: true)) }
      for line in membership.lines { answer.say(line) }
      answer.tabulate(Self.table(members, isShort: false))
      try output.write(answer)
    }

    private static func table(_ members: [SpaceMember], isShort: Bool) -> Table {
      var table = Table("device", "role", "replicas", "")
      for member in members {
        table.add(
          isShort ? member.shortID : member.id,
          member.shownRole,
          member.replicas.map(\.description).joined(separator: " "),
          member.isThisDevice ? "this device" : ""
        )
      }
      return table
    }
  }

  /// `varve space role`
  struct Role: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a member of a sealed space another role.",
      discussion: """
        This needs the role admin. What the device wrote before counts, if it becomes a reader, as far as it \
        is here.

        Example:
          varve space role team.varve 3f2a90c1d2e4 reader
        """
    )

    @OptionGroup var file: StoreFile
    @OptionGroup var device: DeviceArgument
    @Argument(help: "The role: reader, writer or admin.") var role: RoleName
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await SpaceCommand.change(file, output, ["role": .string(role.rawValue)]) { store in
        let member = try await device.member(of: store)
        try await store.setRole(role.role, of: member.id)
        return (member, "\(member.shortID) is \(role.rawValue)")
      }
    }
  }

  /// `varve space remove`
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a device from a sealed space.",
      discussion: """
        This needs the role admin. What the device wrote before counts as far as it is here. Nothing that it \
        writes later does, under whatever date, and it reads nothing that is written later.

        Example:
          varve space remove team.varve 3f2a90c1d2e4
        """
    )

    @OptionGroup var file: StoreFile
    @OptionGroup var device: DeviceArgument
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await SpaceCommand.change(file, output, ["removed": true]) { store in
        let member = try await device.member(of: store)
        try await store.removeMember(member.id)
        return (member, "removed \(member.shortID)")
      }
    }
  }

  /// `varve space rotate`
  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Begin a new epoch of a sealed space: what follows is under a new key.",
      discussion: """
        This needs the role admin. A removal does it too.

        Example:
          varve space rotate team.varve
        """
    )

    @OptionGroup var file: StoreFile
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await SpaceCommand.change(file, output, ["rotated": true]) { store in
        try await store.rotateEpoch()
        return (nil, "a new epoch begins")
      }
    }
  }

  /// Changes the membership, and says whether the change waits for the home.
  private static func change(
    _ file: StoreFile,
    _ output: OutputOptions,
    _ what: JSON,
    _ body: (Store) async throws -> (member: SpaceMember?, text: String)
  ) async throws {
    let (member, text, pending) = try await file.use { store in
      try await store.requireSealed(at: file.store)
      let (member, text) = try await body(store)
      return (member, text, try await store.membership().pendingChangeCount)
    }
    var members = [JSON.Member(name: "device", value: .optional(member?.id))]
    if case .object(let more) = what { members += more }
    members.append(JSON.Member(name: "pending", value: .count(pending)))
    var answer = Answer(.object(members))
    answer.say(pending == 0 ? text : "\(text), once it has been synchronised with the home")
    try output.write(answer)
  }
}

/// The device of a command on a sealed space.
struct DeviceArgument: ParsableArguments {
  @Argument(help: "The device: the beginning of its id, as varve space members shows it.")
  var device: String

  /// Returns the member with the id.
  ///
  /// - Throws: `notFound` if none or several have it.
  func member(of store: Store) async throws -> SpaceMember {
    let text = device.lowercased()
    let found = try await store.members().filter { $0.id.hasPrefix(text) && !text.isEmpty }
    guard let member = found.first, found.count == 1 else {
      throw VarveError(
        .notFound,
        "\(found.isEmpty ? "no device" : "more than one device") of the space has this id",
        at: "device \(device.logged)",
        remedy: "Write the beginning of one id that varve space members lists."
      )
    }
    return member
  }
}
#endif

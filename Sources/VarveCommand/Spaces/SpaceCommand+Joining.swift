#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveSealed
import VarveStore

// Sealing a space, and joining one.
extension SpaceCommand {
  /// `varve space seal`
  struct Seal: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Seal the space of a store without commits, which is created if missing.",
      discussion: """
        From then on everything that the store writes is encrypted and signed before it leaves this device. \
        This device becomes the first admin. Its keys are made if there are none.

        The recovery key is printed once, and kept nowhere. It reads the whole space and outranks every \
        admin: write it down, and keep it away from computers.

        Example:
          varve space seal team.varve
        """
    )

    @OptionGroup var file: StoreFile
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let seal = try SealedKeys.makeSeal()
      let (key, membership, device) = try await Store.filling(
        file.store,
        creates: true,
        keys: .always(seal)
      ) { store in
        let key = try await store.sealSpace()
        let device = try await store.members().first { $0.isThisDevice }
        return (key, try await store.membership(), device)
      }
      var answer = Answer([
        "store": .string(file.store), "space": .optional(membership.space?.text),
        "device": .optional(device?.id), "recoveryKey": .string(key),
      ])
      answer.say("sealed \(file.store.printable), by the device \(device?.shortID ?? "")")
      answer.say("recovery key: \(key)")
      answer.say("It is shown this once. Write it down: it reads the whole space.")
      try output.write(answer)
    }
  }

  /// `varve space invite`
  struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an invitation, and print its code.",
      discussion: """
        Whoever has the code can join once, until the end. Pass it on by another way than the server or \
        folder through which the space is synchronised. This device admits the new member at its next \
        synchronisation.

        Examples:
          varve space invite team.varve
          varve space invite team.varve --role admin --days 1
        """
    )

    @OptionGroup var file: StoreFile
    @Option(help: "What the new member may do: reader, writer or admin.")
    var role = RoleName.writer
    @Option(help: ArgumentHelp("For how long it can be used.", valueName: "days")) var days = 7
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard (1...365).contains(days) else { throw UsageError("--days must be between 1 and 365.") }
    }

    func run() async throws {
      let code = try await file.use { store in
        try await store.requireSealed(at: file.store)
        return try await store.invite(role.role, for: .seconds(days * 86_400))
      }
      let end = HybridTime(
        millisecondsSince1970: SystemClock.millisecondsSince1970() + Int64(days) * 86_400_000
      )
      var answer = Answer([
        "code": .string(code), "role": .string(role.rawValue),
        "until": .string(DateWriter.exact(end)),
      ])
      answer.say(code)
      answer.say("It admits one device as \(role.rawValue), until \(DateWriter.short(end)) (UTC).")
      try output.write(answer)
    }
  }

  /// `varve space join`
  struct Join: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Begin to join a space by an invitation, with a store without commits.",
      discussion: """
        The store is created if missing. The code is asked for, or read from standard input or a file, and \
        never from the arguments, which other users of the computer can read. Capitals, spaces and hyphens \
        in it do not matter.

        The store belongs to the space once it has synchronised, the inviting device has, and it has \
        synchronised again; with the store of the inviting device itself, after one synchronisation.

        Examples:
          varve space join mine.varve
          varve space join mine.varve --code-file code
        """
    )

    @OptionGroup var file: StoreFile
    @OptionGroup var code: InvitationOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let code = try code.code()
      let seal = try SealedKeys.makeSeal()
      try await Store.filling(file.store, creates: true, keys: .always(seal)) { store in
        try await store.join(code)
      }
      var answer = Answer(["store": .string(file.store), "waits": true])
      answer.say("\(file.store.printable) asks to be admitted at its next synchronisation")
      try output.write(answer)
    }
  }
}

/// The role of a member, as an argument.
enum RoleName: String, CaseIterable, ExpressibleByArgument {
  case reader, writer, admin

  init(_ role: MemberRole) {
    switch role {
    case .reader: self = .reader
    case .writer: self = .writer
    case .admin: self = .admin
    }
  }

  var role: MemberRole {
    switch self {
    case .reader: .reader
    case .writer: .writer
    case .admin: .admin
    }
  }
}
#endif

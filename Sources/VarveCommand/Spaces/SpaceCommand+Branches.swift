#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveSealed
import VarveStore
import VarveSync

#if Client
import VarveClient
#endif

// Forks of the membership.
extension SpaceCommand {
  /// `varve space join-branch`
  struct JoinBranch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "join-branch",
      abstract: "Join another branch of the membership, after a fork, with the recovery key.",
      discussion: """
        Where a server was set back and went on from there, some devices have one branch of the membership, \
        and some another: they refuse each other (readOnly). Join them in a store whose branch you trust. It \
        takes what the other branch ended, and nothing that it permitted: a device that only the other branch \
        admitted is removed. Synchronise first with the other members of the trusted branch, and afterwards \
        with all.

        The other branch is that of a store's file, or of a space at a server. The recovery key is asked for, \
        or read from standard input or a file.

        Examples:
          varve space join-branch team.varve copy.varve
          varve space join-branch team.varve https://host/team --recovery-key-file key
        """
    )

    @OptionGroup var file: StoreFile
    @Argument(help: "What has the other branch: a store's file, or a space at a server.")
    var other: String
    @OptionGroup var recoveryKey: RecoveryKeyOption
    @OptionGroup var otherKeys: OtherKeysOption
    @OptionGroup var token: TokenOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let key = try recoveryKey.recoveryKey()
      let members = try await file.use { store in
        try await store.requireSealed(at: file.store)
        try await withOther { try await store.joinBranch(of: $0, recoveryKey: key) }
        return try await store.members()
      }
      var answer = Answer([
        "members": .array(members.filter { $0.role != nil }.map { .string($0.id) }),
        "removed": .array(members.filter { $0.role == nil }.map { .string($0.id) }),
      ])
      let removed = members.count { $0.role == nil }
      answer.say(
        "joined: \(counted(members.count - removed, "member")), \(grouped(removed)) removed"
      )
      answer.say(
        "Synchronise now with the relay that orders the membership, if there is one, then with all "
          + "others."
      )
      try output.write(answer)
    }

    private func withOther(_ body: (Store) async throws -> Void) async throws {
      guard other.contains("://") else {
        var configuration = Store.Configuration()
        configuration.createsIfMissing = false
        configuration.isReadOnly = true
        return try await Store.using(
          .file(other),
          configuration,
          key: .unlessPlain,
          keys: otherKeys.use,
          body
        )
      }
      #if Client
      guard RemoteSpace(other).name != nil else { throw SpaceArgument.missing }
      var configuration = Store.Configuration()
      configuration.seal = try .relay()
      let copy = try await Store.open(.inMemory, configuration: configuration)
      do {
        try await copy.sync(with: RemoteSpace(other, token: try token.token()))
        try await body(copy)
        try await copy.close()
      } catch {
        try? await copy.close()
        throw error
      }
      #else
      throw UsageError(
        "This varve was built without its client of servers: build it with the trait Client."
      )
      #endif
    }
  }

  /// `varve space recover`
  struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Recover a space that nobody can administer any more, with the recovery key.",
      discussion: """
        This device becomes an admin, and the membership is ordered here from now on. Use it if no admin is \
        left, if the store that ordered the membership is lost, or if this store was restored from an older \
        copy and no other store has the newer changes of the membership. Those are lost.

        The recovery key is asked for, or read from standard input or a file.

        Example:
          varve space recover team.varve --recovery-key-file key
        """
    )

    @OptionGroup var file: StoreFile
    @OptionGroup var recoveryKey: RecoveryKeyOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let key = try recoveryKey.recoveryKey()
      let device = try await file.use { store in
        try await store.requireSealed(at: file.store)
        try await store.recoverSpace(recoveryKey: key)
        return try await store.members().first { $0.isThisDevice }
      }
      var answer = Answer(["device": .optional(device?.id), "role": "admin", "home": true])
      answer.say("recovered: \(device?.shortID ?? "") is an admin, and orders the membership")
      try output.write(answer)
    }
  }
}
#endif

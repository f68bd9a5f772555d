#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve resolve`
struct ResolveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve",
    abstract: "Settle a conflict, duplicates, a cycle of ownership or repetitions.",
    discussion: """
      Use one of these: --take NUMBER to choose a version of the property KEY, numbered as varve \
      conflicts lists them; --keep-death or --restore for an entity that died unseen \
      (--with-owners and --as-root as for varve restore); --merge to merge duplicates into the \
      entity, which replaces them everywhere; --root to take the entity out of a cycle of owners; \
      --reference to make the edges match the reference KEY; --repetitions to remove the elements \
      of the list KEY that copies added without having seen each other's.

      Examples:
        varve resolve hats.varve hat-1 --merge hat-2 --policy newest
        varve resolve hats.varve hat-1 --root --author sam
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The entity's identifier.") var id: String
  @Argument(help: "The property in conflict.") var key: String?
  @Option(help: ArgumentHelp("Take this version, from 1.", valueName: "number")) var take: Int?
  @Flag(help: "Accept the death.") var keepDeath = false
  @Flag(help: "Restore the entity.") var restore = false
  @Flag(help: "Restore an owner too, nearest first, until it lives.")
  var withOwners = false
  @Flag(help: "Restore it without its erased owners.") var asRoot = false
  @Option(help: ArgumentHelp("A duplicate of the entity; may be repeated.", valueName: "id"))
  var merge: [String] = []
  @Option(help: "The values to take: fill (missing ones), newest or keep (none).")
  var policy: PolicyArgument = .init(policy: .fill)
  @Flag(help: "Remove all owners of the entity.") var root = false
  @Flag(help: "Make the edges match the reference.") var reference = false
  @Flag(help: "Remove unintended repetitions from the list.") var repetitions = false
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    let count = [take != nil, keepDeath, restore, !merge.isEmpty, root, reference, repetitions]
      .count { $0 }
    guard count == 1 else {
      throw UsageError(
        "Use one of --take, --keep-death, --restore, --merge, --root, --reference and "
          + "--repetitions."
      )
    }
    if take != nil, key == nil { throw UsageError("--take needs a property.") }
    if reference, key == nil { throw UsageError("--reference needs a property.") }
    if repetitions, key == nil { throw UsageError("--repetitions needs a property.") }
    if take == nil, !reference, !repetitions, key != nil {
      throw UsageError("A property needs --take, --reference or --repetitions.")
    }
    if merge.contains(id) { throw UsageError("An entity is no duplicate of itself: \(id).") }
    if withOwners, asRoot { throw UsageError("Use --with-owners or --as-root, not both.") }
  }

  func run() async throws {
    let id = try EntityID(id)
    let others = try merge.map { try EntityID($0) }
    let answer = try await file.use { store in
      if reference, let key { return try await reconcile(id, PropertyKey(key), in: store) }
      if repetitions, let key { return try await trim(id, PropertyKey(key), in: store) }
      if root { return try await makeRoot(id, in: store) }
      if !others.isEmpty { return try await mergeDuplicates(others, into: id, in: store) }
      return try await settle(id, in: store)
    }
    try output.write(answer)
  }

  private func makeRoot(_ id: EntityID, in store: Store) async throws -> Answer {
    let (count, commit) = try await writing.commit(to: store) { try await $0.makeRoot(id) }
    var answer = Answer(["ownerships": .count(count), "commit": commit.json])
    answer.say("removed \(counted(count, "ownership", "ownerships"))\(commit.shown)")
    return answer
  }

  private func reconcile(
    _ id: EntityID,
    _ key: PropertyKey,
    in store: Store
  ) async throws -> Answer {
    let (hasChanged, commit) = try await writing.commit(to: store) {
      try await $0.reconcile(id, key)
    }
    var answer = Answer(["reconciled": .bool(hasChanged), "commit": commit.json])
    answer.say("\(hasChanged ? "reconciled" : "nothing disagrees")\(commit.shown)")
    return answer
  }

  private func trim(_ id: EntityID, _ key: PropertyKey, in store: Store) async throws -> Answer {
    let (count, commit) = try await writing.commit(to: store) {
      try await $0.removeRepetitions(of: id, key)
    }
    var answer = Answer(["removed": .count(count), "commit": commit.json])
    answer.say("removed \(counted(count, "element", "elements"))\(commit.shown)")
    return answer
  }

  private func mergeDuplicates(
    _ others: [EntityID],
    into id: EntityID,
    in store: Store
  ) async throws -> Answer {
    let policy = policy.policy
    let (merge, commit) = try await writing.commit(to: store) {
      try await $0.mergeDuplicates(others, into: id, policy)
    }
    var answer = Answer(["merge": merge.json, "commit": commit.json])
    answer.say("merged \(merge.erased.shown()) into \(id.text.printable)\(commit.shown)")
    answer.say(
      "\(counted(merge.properties.count, "property", "properties")) taken, "
        + "\(counted(merge.referenceCount, "reference", "references")) and "
        + "\(counted(merge.relationCount, "relation", "relations")) moved"
    )
    return answer
  }

  private func settle(_ id: EntityID, in store: Store) async throws -> Answer {
    let conflict = try await store.conflict(id, key.map { PropertyKey($0) })
    let mode: RestoreMode = withOwners ? .withOwners : (asRoot ? .asRoot : .ifOwned)
    let resolution: ConflictResolution =
      take.map { .version($0 - 1) } ?? (restore ? .restoring(mode) : .death)
    let (_, commit) = try await writing.commit(to: store) {
      try await $0.resolve(conflict, by: resolution)
    }
    var answer = Answer(["commit": commit.json])
    answer.say("settled\(commit.shown)")
    if let take, let key, writing.at != nil,
      try await !isCurrent(conflict.versions[take - 1].content, PropertyKey(key), of: id, in: store)
    {
      answer.say("a value for a later date stands; version \(take) holds before it only")
    }
    return answer
  }

  /// Returns whether a property is at present as a version says.
  private func isCurrent(
    _ content: Cell.Content,
    _ key: PropertyKey,
    of id: EntityID,
    in store: Store
  ) async throws -> Bool {
    guard let entity = try await store.entity(id) else { return true }
    guard case .value(_, let value, _) = content else { return entity[key] == nil }
    return entity[key] == value
  }
}

/// The policy for merging duplicates as an argument.
struct PolicyArgument: ExpressibleByArgument {
  let policy: DuplicatePolicy

  init(policy: DuplicatePolicy) { self.policy = policy }

  init?(argument: String) {
    guard let policy = DuplicatePolicy(rawValue: argument) else { return nil }
    self.policy = policy
  }

  static let allValueStrings = DuplicatePolicy.allCases.map(\.rawValue)

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  var defaultValueDescription: String { policy.rawValue }
}
#endif

#if Server
public import Foundation
import VarveCore
public import VarveJSON
import VarveStore

/// The webhooks of a folder of spaces, in `webhooks.jsonl`, and what became of their deliveries, in
/// the folder `webhooks`. A running server notices every change.
public struct WebhookFolder: Sendable {
  private let folder: String

  private var file: String { "\(folder)/webhooks.jsonl" }

  /// Creates the reader of a folder.
  public init(_ folder: String) { self.folder = folder }

  // MARK: Webhooks

  /// Returns the webhooks.
  ///
  /// - Throws: `VarveError`: `invalidJSON` for a line that is no webhook, `inputOutput`.
  public func webhooks() throws -> [Webhook] {
    let webhooks = try KeptList<Webhook>.read(file, of: Self.noun) { Webhook($0) }
    for webhook in webhooks { try webhook.validate() }
    return webhooks
  }

  /// Why the webhooks cannot be read; nil if they can.
  var fault: VarveError? {
    do { _ = try webhooks() } catch { return error as? VarveError }
    return nil
  }

  private static let noun = "webhook"

  /// Adds a webhook. It receives what its spaces receive from now on, whether a server runs or not.
  ///
  /// In the cache folder of a host, and if one of the spaces cannot be read, it begins when a server
  /// notices it, some seconds later.
  ///
  /// - Throws: `VarveError`: `duplicateIdentifier` if the name is taken, `invalidArgument`,
  ///   `inputOutput`.
  /// - Complexity: O(spaces), each of which is opened.
  public func add(_ webhook: Webhook) async throws {
    try webhook.validate()
    var webhook = webhook
    let states = await presentStates(for: webhook)
    webhook.hasPlaces = states != nil
    try change { [webhook] known in
      guard !known.contains(where: { $0.name == webhook.name }) else {
        throw VarveError(
          .duplicateIdentifier,
          "there is a webhook \"\(webhook.name)\" already",
          at: file,
          remedy: "Choose another name, or remove that webhook first."
        )
      }
      // A server that finds the webhook finds them too.
      for state in states ?? [] { try keep(state, of: webhook) }
      return known + [webhook]
    }
  }

  /// Returns the spaces that a webhook names and that a served folder does not have, in order. Of the
  /// cache folder of a host nothing is known.
  package func absentSpaces(of webhook: Webhook) -> [String] {
    guard !IndexCache.isCache(folder), let names = try? FolderShelf(folder).names() else {
      return []
    }
    return webhook.spaces.subtracting(names.map(\.name.text)).subtracting(["*"]).sorted()
  }

  /// Returns states of deliveries that begin after what the spaces have now; nil if one of them cannot
  /// be read.
  private func presentStates(for webhook: Webhook) async -> [State]? {
    guard !IndexCache.isCache(folder), let names = try? FolderShelf(folder).names() else {
      return nil
    }
    var states: [State] = []
    for (name, _) in names where webhook.isFor(name.text) {
      guard let place = try? await presentPlace(of: name) else { return nil }
      var state = State(space: name.text)
      state.place = place.text
      states.append(state)
    }
    return states
  }

  private func presentPlace(of space: SpaceName) async throws -> FeedPlace {
    var configuration = Store.Configuration()
    // Not read-only: a file that was never served gets its id now.
    configuration.createsIfMissing = false
    let path = "\(folder)/\(space.text).varve"
    let store = try await Store.open(path, configuration: configuration)
    do {
      let place = try await ChangeFeed.present(of: store)
      try await store.close()
      return place
    } catch {
      try? await store.close()
      throw error
    }
  }

  /// Removes a webhook, and what is known of its deliveries. Returns whether there was one.
  public func remove(_ name: String) throws -> Bool {
    var removed: [Webhook] = []
    try change { known in
      removed = known.filter { $0.name == name }
      return removed.isEmpty ? nil : known.filter { $0.name != name }
    }
    for webhook in removed { forget(webhook) }
    return !removed.isEmpty
  }

  /// Removes what is known of the deliveries of a webhook that was removed.
  func forget(_ webhook: Webhook) {
    for state in states(of: webhook) {
      try? FileManager.default.removeItem(atPath: statePath(webhook, state.space))
    }
  }

  private func change(_ body: ([Webhook]) throws -> [Webhook]?) throws {
    try KeptList.change(file, of: Self.noun, { Webhook($0) }, { $0.json }, body)
  }

  // MARK: Deliveries

  /// What became of the deliveries of a webhook for a space.
  public struct State: Sendable, Hashable {
    /// The name of the space.
    public var space: String
    /// The number of events that were accepted.
    public var deliveredCount = 0
    /// The number of attempts for the event that waits, which all failed.
    public var failureCount = 0
    /// The number of events that were given up.
    public var deadCount = 0
    /// Why the last attempt failed; nil if it did not.
    public var error: String?
    /// The time of the last attempt.
    public var time: Date?
    /// The place after the last event that was accepted or given up.
    var place: String?
    /// The event that is under way, as it was sent first. After a restart it is sent as it was.
    var pending: Pending?

    /// An event on its way.
    struct Pending: Sendable, Hashable {
      var id: String
      var body: String
      /// The place after it; nil if it has none of its own.
      var place: String?
    }

    init(space: String) { self.space = space }
  }

  /// Returns the states of a webhook, in order of the spaces' names.
  public func states(of webhook: Webhook) -> [State] {
    let prefix = Self.prefix(webhook)
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/webhooks")) ?? []
    return files.sorted().compactMap { file in
      guard file.hasPrefix(prefix), file.hasSuffix(".json") else { return nil }
      return state(of: webhook, SpaceName(String(file.dropFirst(prefix.count).dropLast(5))))
    }
  }

  func state(of webhook: Webhook, _ space: SpaceName?) -> State? {
    guard let space,
      let bytes = FileManager.default.contents(atPath: statePath(webhook, space.text)),
      let json = try? JSONReader.read(bytes: Array(bytes))
    else { return nil }
    return State(json, of: space.text)
  }

  func keep(_ state: State, of webhook: Webhook) throws {
    try prepare()
    try WholeFile.write(state.record.text + "\n", to: statePath(webhook, state.space))
  }

  /// A server may deliver for a moment to a webhook that was removed. Its mark distinguishes its files
  /// from those of a new webhook with the same name.
  private static func prefix(_ webhook: Webhook) -> String { "\(webhook.name)-\(webhook.mark)@" }

  private func statePath(_ webhook: Webhook, _ space: String) -> String {
    "\(folder)/webhooks/\(Self.prefix(webhook))\(space).json"
  }

  private func prepare() throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder)/webhooks",
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
  }

  // MARK: Dead letters

  private var dead: String { "\(folder)/webhooks/dead.jsonl" }

  /// Returns the events that were given up, oldest first: `webhook`, `space`, `delivery`, `time`,
  /// `error` and `body`.
  public func deadLetters() throws -> [JSON] { try LineFile(dead).read() }

  /// Adds an event that is given up. Beyond a number of them, the oldest are removed.
  func add(deadLetter letter: JSON, atMost limit: Int) throws {
    try prepare()
    try FolderLock.hold("\(folder)/webhooks", toChange: "the events that were given up") {
      try LineFile(dead).append(letter)
      let letters = try deadLetters()
      guard letters.count > limit else { return }
      try WholeFile.write(letters.suffix(limit).map { $0.text + "\n" }.joined(), to: dead)
    }
  }
}

extension WebhookFolder.State {
  /// The state as JSON.
  public var json: JSON {
    [
      "space": .string(space), "delivered": .count(deliveredCount),
      "failures": .count(failureCount), "dead": .count(deadCount), "error": .optional(error),
      "time": .optional(time.flatMap { DateWriter.exact($0) }), "place": .optional(place),
    ]
  }

  /// The state as it is kept.
  fileprivate var record: JSON {
    guard let pending, case .object(let members) = json else { return json }
    let event: JSON = [
      "id": .string(pending.id), "body": .string(pending.body), "place": .optional(pending.place),
    ]
    return .object(members + [JSON.Member(name: "pending", value: event)])
  }

  fileprivate init?(_ json: JSON, of space: String) {
    guard case .integer(let delivered)? = json["delivered"],
      case .integer(let failures)? = json["failures"], case .integer(let dead)? = json["dead"]
    else { return nil }
    self.init(space: space)
    (deliveredCount, failureCount, deadCount) = (Int(delivered), Int(failures), Int(dead))
    if case .string(let text)? = json["error"] { error = text }
    if case .string(let text)? = json["time"] { time = DateReader.read(text) }
    if case .string(let text)? = json["place"] { place = text }
    guard let event = json["pending"], case .string(let id)? = event["id"],
      case .string(let body)? = event["body"]
    else { return }
    pending = Pending(id: id, body: body)
    if case .string(let text)? = event["place"] { pending?.place = text }
  }
}
#endif

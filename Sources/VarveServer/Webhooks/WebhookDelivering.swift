#if Server
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// Delivers the changes of one space to one webhook, in order, each at least once.
///
/// The place after an event is kept once the event was accepted or given up. What happens while the
/// server is down is delivered when it is back. Only one event is under way; those that wait are
/// joined, so a receiver that fails costs no memory.
struct WebhookDelivering: Sendable {
  let webhook: Webhook
  let space: SpaceName
  let spaces: SpaceDirectory
  let folder: WebhookFolder
  let limits: ServerLimits
  let policy: WebhookPolicy

  /// Delivers until it is cancelled, or the space ends.
  func run() async throws {
    let lease = try await spaces.take(space)
    defer { withExtendedLifetime(lease) {} }
    try lease.space.requireReadable()
    var state =
      folder.state(of: webhook, space) ?? WebhookFolder.State(space: space.text)
    let isNew = state.place == nil
    if isNew, webhook.hasPlaces {
      // The space came after the webhook.
      state.place = FeedPlace(space: lease.space.id, frontier: .empty).text
    }
    // What was under way when the server ended comes as it was. The feed would describe it
    // otherwise.
    if let pending = state.pending { try await deliver(pending, &state) }
    let feed = try await ChangeFeed(of: lease.space, after: state.place, limits)
    if let start = feed.start, !isNew || webhook.hasPlaces {
      try await deliver(.reset(start), lease.space, &state)
    } else if isNew {
      // It begins now, or with a space that came after it.
      if let start = feed.start { state.place = start.text }
      try folder.keep(state, of: webhook)
    }
    for try await changes in feed.sequence {
      try await deliver(try feed.event(changes), lease.space, &state)
    }
  }

  private func deliver(
    _ event: FeedEvent,
    _ space: Space,
    _ state: inout WebhookFolder.State
  ) async throws {
    let delivery = delivery(of: event, space)
    let pending = WebhookFolder.State.Pending(
      id: delivery.id,
      body: delivery.body,
      place: event.place?.text
    )
    state.pending = pending
    try folder.keep(state, of: webhook)
    try await deliver(pending, &state)
  }

  private func deliver(
    _ pending: WebhookFolder.State.Pending,
    _ state: inout WebhookFolder.State
  ) async throws {
    let delivery = WebhookSender.Delivery(id: pending.id, body: pending.body)
    let sender = WebhookSender(timeout: policy.timeout)
    while true {
      state.time = Date()
      do {
        try await sender.send(delivery, to: webhook)
        state.deliveredCount += 1
        state.error = nil
        break
      } catch {
        try Task.checkCancellation()
        state.failureCount += 1
        state.error = String("\(error)".prefix(500))
        if state.failureCount >= policy.attemptCount {
          try giveUp(delivery, &state)
          break
        }
        try folder.keep(state, of: webhook)
        try await Task.sleep(for: policy.pause(after: state.failureCount))
      }
    }
    state.failureCount = 0
    state.pending = nil
    // Without a place of its own, the event comes again after a restart.
    if let place = pending.place { state.place = place }
    try folder.keep(state, of: webhook)
  }

  private func delivery(of event: FeedEvent, _ space: Space) -> WebhookSender.Delivery {
    let body: JSON = [
      "webhook": .string(webhook.name), "space": .string(space.name.text),
      "id": .string(space.id.text), "event": .string(event.name),
      "place": .optional(event.place?.text),
      "changes": (try? JSONReader.read(event.data)) ?? .null,
    ]
    // Two events differ at least in their places.
    let digest = ContentDigest.sha256(Array("\(webhook.name) \(body.text)".utf8)).hexadecimal
    return WebhookSender.Delivery(id: "msg_\(digest.prefix(32))", body: body.text)
  }

  private func giveUp(
    _ delivery: WebhookSender.Delivery,
    _ state: inout WebhookFolder.State
  ) throws {
    let letter: JSON = [
      "webhook": .string(webhook.name), "space": .string(space.text),
      "delivery": .string(delivery.id), "time": .optional(DateWriter.exact(Date())),
      "error": .optional(state.error), "body": .string(delivery.body),
    ]
    try folder.add(deadLetter: letter, atMost: policy.deadLetterCount)
    state.deadCount += 1
  }
}
#endif

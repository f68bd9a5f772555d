#if Server
import Hummingbird
import VarveCore
import VarveJSON

extension VarveRoutes {
  /// Adds `GET …/webhooks`.
  func addWebhooks(to group: RouterGroup<some RequestContext>) {
    group.get("webhooks") { request, context in
      await stream(request, context, .admin) { call, lease in try webhooks(call, lease.space) }
    }
  }

  /// Lists the webhooks of a space, and the events that were given up, without secrets.
  private func webhooks(_ call: Call, _ space: Space) throws -> Response {
    try call.allow()
    guard let path = spaces.folder else { return Reply.document(["items": [], "dead": []]) }
    let folder = WebhookFolder(path)
    let items = try folder.webhooks().filter { $0.isFor(space.name.text) }.map { webhook -> JSON in
      let state = folder.state(of: webhook, space.name)
      return [
        "name": .string(webhook.name), "url": .string(webhook.url),
        "private": .bool(webhook.allowsPrivateAddresses), "state": state?.json ?? .null,
      ]
    }
    let dead = try folder.deadLetters().filter { $0["space"] == .string(space.name.text) }
    return Reply.document(["items": .array(items), "dead": .array(dead)])
  }
}
#endif

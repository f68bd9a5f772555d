#if Server
import Foundation
import ServiceLifecycle
import VarveCore

/// Delivers to the webhooks of a folder as long as the server runs.
struct WebhookService: Service {
  let spaces: SpaceDirectory
  let limits: ServerLimits
  let policy: WebhookPolicy

  private struct Line: Hashable {
    let webhook: Webhook
    let space: SpaceName
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await deliver()
    }
  }

  private func deliver() async {
    guard let path = spaces.folder else {
      // A server ends when one of its services does.
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
      return
    }
    let folder = WebhookFolder(path)
    var lines: [Line: Task<Void, Never>] = [:]
    defer { for task in lines.values { task.cancel() } }
    while !Task.isCancelled {
      // A file that cannot be read now leaves things as they are.
      if let webhooks = try? folder.webhooks(), let wanted = try? await wantedLines(of: webhooks) {
        for (line, task) in lines where !wanted.contains(line) {
          task.cancel()
          lines[line] = nil
          guard !webhooks.contains(line.webhook) else { continue }
          // What it notes until it ends is of no use.
          Task {
            await task.value
            folder.forget(line.webhook)
          }
        }
        for line in wanted where lines[line] == nil {
          lines[line] = Task { await follow(line, folder) }
        }
      }
      try? await Task.sleep(for: policy.interval)
    }
  }

  private func wantedLines(of webhooks: [Webhook]) async throws -> Set<Line> {
    guard !webhooks.isEmpty else { return [] }
    var lines: Set<Line> = []
    for name in try await spaces.names() {
      for webhook in webhooks where webhook.isFor(name.text) {
        lines.insert(Line(webhook: webhook, space: name))
      }
    }
    return lines
  }

  /// Delivers until it is cancelled. A failure that is not the receiver's is tried again later.
  private func follow(_ line: Line, _ folder: WebhookFolder) async {
    while !Task.isCancelled {
      let delivering = WebhookDelivering(
        webhook: line.webhook,
        space: line.space,
        spaces: spaces,
        folder: folder,
        limits: limits,
        policy: policy
      )
      try? await delivering.run()
      try? await Task.sleep(for: policy.interval)
    }
  }
}
#endif

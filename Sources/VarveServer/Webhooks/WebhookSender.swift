#if Server
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import VarveCore

/// Sends one request of a webhook.
struct WebhookSender: Sendable {
  /// A request of a webhook, which stays the same over all attempts.
  struct Delivery: Sendable, Hashable {
    /// The id, by which a receiver notices that it had the delivery already.
    let id: String
    let body: String
  }

  /// Why a delivery was not accepted.
  struct Refused: Error, CustomStringConvertible {
    let description: String
  }

  let timeout: Duration
  let now: @Sendable () -> Date

  init(timeout: Duration, now: @escaping @Sendable () -> Date = { Date() }) {
    self.timeout = timeout
    self.now = now
  }

  /// Sends a delivery.
  ///
  /// - Throws: unless it is accepted by a status from 200 to 299.
  func send(_ delivery: Delivery, to webhook: Webhook) async throws {
    let host = URL(string: webhook.url)?.host() ?? ""
    let address = try await Self.address(of: host, webhook)
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout.connect = .nanoseconds(timeout.nanoseconds)
    // The name is not asked for again: another address could be given then.
    configuration.dnsOverride = [host: address]
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    do {
      let reply = try await client.execute(
        request(delivery, to: webhook),
        timeout: .nanoseconds(timeout.nanoseconds)
      )
      guard (200..<300).contains(reply.status.code) else {
        throw Refused(description: "the status was \(reply.status.code)")
      }
      try await client.shutdown()
    } catch {
      try? await client.shutdown()
      throw error
    }
  }

  private func request(_ delivery: Delivery, to webhook: Webhook) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: webhook.url)
    request.method = .POST
    let seconds = Int(now().timeIntervalSince1970)
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: "User-Agent", value: "varve")
    request.headers.add(name: "webhook-id", value: delivery.id)
    request.headers.add(name: "webhook-timestamp", value: "\(seconds)")
    let signature = webhook.signature(of: delivery.body, id: delivery.id, at: seconds)
    request.headers.add(name: "webhook-signature", value: signature)
    request.body = .bytes(ByteBuffer(string: delivery.body))
    return request
  }

  /// Returns the address to connect to.
  ///
  /// - Throws: if the host has none, or one that is not of the internet and not allowed.
  private static func address(of host: String, _ webhook: Webhook) async throws -> String {
    let plain = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    // Looking a name up blocks its thread.
    let addresses = await withCheckedContinuation { done in
      Thread.detachNewThread { done.resume(returning: PublicAddress.addresses(of: plain)) }
    }
    guard let first = addresses.first else {
      throw Refused(description: "the host \(plain) has no address")
    }
    if !webhook.allowsPrivateAddresses, let own = addresses.first(where: { !$0.isPublic }) {
      throw Refused(
        description: "the host \(plain) has the private address \(own.text), which the webhook "
          + "does not allow"
      )
    }
    return first.text
  }
}

extension Duration {
  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
#endif

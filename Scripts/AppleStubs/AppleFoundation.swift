// What Varve uses of Foundation on Apple's systems and the open-source Foundation lacks:
// developer.apple.com/documentation/foundation, pages URLSession.bytes(for:delegate:), URLSession.AsyncBytes,
// URLSessionConfiguration.background(withIdentifier:), sessionSendsLaunchEvents and sharedContainerIdentifier,
// and ProcessInfo.performExpiringActivity(withReason:using:).
import Foundation
@_exported import FoundationNetworking

extension URLSession {
  public struct AsyncBytes: AsyncSequence, Sendable {
    public typealias Element = UInt8

    public struct AsyncIterator: AsyncIteratorProtocol {
      public mutating func next() async throws -> UInt8? { nil }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
  }

  public func bytes(
    for request: URLRequest,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (AsyncBytes, URLResponse) { fatalError() }
}

extension URLSessionConfiguration {
  public static func background(withIdentifier identifier: String) -> URLSessionConfiguration { fatalError() }
  public var sessionSendsLaunchEvents: Bool {
    get { false }
    set {}
  }
  public var sharedContainerIdentifier: String? {
    get { nil }
    set {}
  }
}

extension ProcessInfo {
  public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}

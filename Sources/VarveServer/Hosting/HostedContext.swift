#if Server
import Hummingbird
import Logging

/// Where a hosted request comes from.
struct HostedSource: RequestContextSource {
  let logger: Logger
  let hasLeft: @Sendable () async -> Bool
}

/// The context of a hosted request.
struct HostedContext: RequestContext {
  typealias Source = HostedSource

  var coreContext: CoreRequestContextStorage
  let hasLeft: @Sendable () async -> Bool

  init(source: HostedSource) {
    coreContext = CoreRequestContextStorage(source: source)
    hasLeft = source.hasLeft
  }
}
#endif

#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import Metrics
import Synchronization
import VarveCore

/// Logs every request, and counts and times it.
///
/// The log has the path but not the query, and no headers: tokens never appear in it, nor do values
/// that are stored. What a caller gave is escaped, so that each request is one line. The labels of
/// the metrics are the server's own words, so that clients cannot invent series.
struct RequestRecorder<Context: RequestContext>: RouterMiddleware {
  private let logger: Logger
  private let metrics: any MetricsFactory
  private let active: Meter
  private let series = RequestSeries()

  init(_ logger: Logger, _ metrics: any MetricsFactory) {
    self.logger = logger
    self.metrics = metrics
    active = Meter(label: "http_server_active_requests", factory: metrics)
  }

  @concurrent
  func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    let notes = RequestNotes()
    let running = RunningRequest(active)
    var response: Response
    do {
      response = try await RequestNotes.$current.withValue(notes) {
        try await next(request, context)
      }
    } catch {
      let problem = Problem.of(error)
      notes.note(problem)
      response = problem.response
    }
    response.headers[.requestID] = context.id
    let (method, path, status) = (request.method, request.uri.path, response.status)
    let (id, route) = (context.id, context.endpointPath)
    let body = response.body
    response.body = ResponseBody(contentLength: body.contentLength) { writer in
      // Also when the client has left meanwhile.
      defer { record(method, path, status, id, route, notes, ContinuousClock.now - start) }
      try await body.write(writer)
      withExtendedLifetime(running) {}
    }
    return response
  }

  private func record(
    _ method: HTTPRequest.Method,
    _ path: String,
    _ status: HTTPResponse.Status,
    _ id: String,
    _ route: String?,
    _ notes: RequestNotes,
    _ duration: Duration
  ) {
    let known = Self.methods.contains(method.rawValue) ? method.rawValue : "other"
    let place = route ?? "none"
    let (counter, timer) = series.of(known, place, status.code, metrics)
    counter.increment()
    timer.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    log(method, path, status, id, notes, duration)
  }

  private func log(
    _ method: HTTPRequest.Method,
    _ path: String,
    _ status: HTTPResponse.Status,
    _ id: String,
    _ notes: RequestNotes,
    _ duration: Duration
  ) {
    let level: Logger.Level = status.code >= 500 ? .error : .info
    // What is logged nowhere is not made.
    guard logger.logLevel <= level else { return }
    var metadata: Logger.Metadata = [
      "request": "\(id)", "method": "\(method.rawValue.prefix(32).loggedField)",
      "path": "\(Self.shown(path))", "status": "\(status.code)",
      "milliseconds": "\(Int64(duration / .milliseconds(1)))",
    ]
    if let subject = notes.subject { metadata["subject"] = "\(Self.shown(subject))" }
    if let code = notes.code { metadata["code"] = "\(code)" }
    if let detail = notes.detail { metadata["detail"] = "\(Self.shown(detail))" }
    logger.log(level: level, "request", metadata: metadata)
  }

  /// Returns a text as it is logged. A token that someone wrote into a path by mistake is left out.
  private static func shown(_ text: String) -> String {
    // A pattern costs more than the rest of the line, and hardly any path has a token.
    guard text.contains("varve_") || text.contains("eyJ") else {
      return text.prefix(300).loggedField
    }
    let tokens = /varve_[0-9A-Za-z]+|eyJ[0-9A-Za-z_\-]+(\.[0-9A-Za-z_\-]*)*/
    return text.prefix(2_000).replacing(tokens, with: "…").prefix(300).loggedField
  }

  private static var methods: Set<String> {
    ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"]
  }
}

/// The series of the requests that were recorded, which are looked up by name only once.
private final class RequestSeries: Sendable {
  private struct Key: Hashable {
    let method: String
    let route: String
    let status: Int
  }

  private let known = Mutex<[Key: (Counter, Metrics.Timer)]>([:])

  /// Returns the series of a method, a route and a status, which are the server's own words.
  func of(
    _ method: String,
    _ route: String,
    _ status: Int,
    _ metrics: any MetricsFactory
  ) -> (Counter, Metrics.Timer) {
    let key = Key(method: method, route: route, status: status)
    return known.withLock { known in
      if let found = known[key] { return found }
      let counter = Counter(
        label: "http_server_requests_total",
        dimensions: [("method", method), ("route", route), ("status", "\(status)")],
        factory: metrics
      )
      let timer = Metrics.Timer(
        label: "http_server_request_duration_seconds",
        dimensions: [("route", route)],
        factory: metrics
      )
      known[key] = (counter, timer)
      return (counter, timer)
    }
  }
}

/// Counts a request as running as long as this object lives, which its reply holds.
private final class RunningRequest: Sendable {
  private let meter: Meter

  init(_ meter: Meter) {
    self.meter = meter
    meter.increment()
  }

  deinit { meter.decrement() }
}
#endif

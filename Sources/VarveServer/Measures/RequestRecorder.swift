import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import Metrics

/// Logs every request, and counts and times it.
///
/// The log has the path but not the query, and no headers: tokens never appear in it. The labels of
/// the metrics are the server's own words, so that clients cannot invent series.
struct RequestRecorder<Context: RequestContext>: RouterMiddleware {
  private let logger: Logger
  private let metrics: any MetricsFactory
  private let active: Meter

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
    Counter(
      label: "http_server_requests_total",
      dimensions: [("method", known), ("route", place), ("status", "\(status.code)")],
      factory: metrics
    ).increment()
    let timer = Metrics.Timer(
      label: "http_server_request_duration_seconds",
      dimensions: [("route", place)],
      factory: metrics
    )
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
    var metadata: Logger.Metadata = [
      "request": "\(id)", "method": "\(method.rawValue.prefix(32))",
      "path": "\(Self.shown(path))", "status": "\(status.code)",
      "milliseconds": "\(Int64(duration / .milliseconds(1)))",
    ]
    if let subject = notes.subject { metadata["subject"] = "\(subject)" }
    if let code = notes.code { metadata["code"] = "\(code)" }
    if let detail = notes.detail { metadata["detail"] = "\(Self.shown(detail))" }
    logger.log(level: status.code >= 500 ? .error : .info, "request", metadata: metadata)
  }

  /// Returns a text as it is logged. A token that someone wrote into a path by mistake is left out.
  private static func shown(_ text: String) -> String {
    let tokens = /varve_[0-9A-Za-z]+|eyJ[0-9A-Za-z_\-]+(\.[0-9A-Za-z_\-]*)*/
    return String(text.prefix(2_000).replacing(tokens, with: "…").prefix(300))
  }

  private static var methods: Set<String> {
    ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"]
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

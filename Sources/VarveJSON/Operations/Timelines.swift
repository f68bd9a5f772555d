import Foundation
import VarveCore
import VarveStore

/// `timeline`: returns how many commits were written in each interval of a span, or the commits
/// around a date.
struct TimelineOperation: ReadingOperation {
  static let name = "timeline"
  private let place: Place?
  private let type: EntityType?
  private let start: Date?
  private let end: Date?
  private let intervals: Int?
  private let grouping: Timeline.Grouping?
  private let around: MomentName?

  init(_ fields: inout Fields) throws {
    place = try fields.take("id").map { try Place($0) }
    type = try fields.take("type").map { EntityType(try $0.string()) }
    start = try fields.take("from")?.date()
    end = try fields.take("to")?.date()
    intervals = try fields.take("intervals")?.count()
    grouping = try fields.take("by").map { field in
      guard let grouping = Timeline.Grouping(rawValue: try field.string()) else {
        throw Misfit("\"author\" or \"replica\" is expected", at: field.path)
      }
      return grouping
    }
    around = try fields.take("around").map { try Self.place($0) }
    let hasSpan = start != nil || end != nil || intervals != nil || grouping != nil
    if around != nil, hasSpan {
      throw Misfit(
        "\"from\", \"to\", \"intervals\" and \"by\" do not apply to the commits \"around\" a moment",
        at: fields.path
      )
    }
    if place != nil, type != nil {
      throw Misfit("a timeline is that of an entity or of a type, not of both", at: fields.path)
    }
  }

  func read(_ state: any Reading) async throws -> JSON {
    let subject = try await subject(in: state)
    switch around {
    case .date(let date): return try await state.commits(around: date, of: subject).json
    case .written(let id): return try await state.commits(around: id, of: subject).json
    default: break
    }
    return try await state.timeline(
      of: subject,
      from: start,
      to: end,
      intervals: intervals ?? 100,
      by: grouping
    ).json
  }

  private static func place(_ field: Part) throws -> MomentName {
    let name = try field.moment()
    switch name {
    case .date, .written: return name
    case .now, .commit, .frontier:
      throw Misfit(
        "a date or {\"commit\": {\"replica\", \"sequence\", \"hash\"}} is expected",
        at: field.path
      )
    }
  }

  private func subject(in state: any Reading) async throws -> Timeline.Subject {
    if let type { return .type(type) }
    guard let place else { return .store }
    let id = try await place.id(in: state)
    if try await state.status(of: id) == .unknown { _ = try await state.require(id) }
    return .entity(id)
  }
}

import Foundation
import SQLiteLibrary
import VarveCore

/// The SQL functions on related entities.
extension SQLFunctions {
  /// Registers `varve_elements(id, keys)` and `varve_id(base64)`.
  static func registerElements(
    on handle: OpaquePointer,
    _ elements: @escaping (EntityID, [PropertyKey]) throws -> [EntityID]
  ) {
    define(handle, "varve_elements", 2) { context, arguments in
      guard let id = identifier(arguments[0]), case .array(let names)? = encoded(arguments[1])
      else { return sqlite3_result_null(context) }
      do {
        let keys = names.compactMap(\.stringValue).map { PropertyKey($0) }
        // JSON of SQLite has no text with a zero.
        let ids = try elements(id, keys).map { Value.data(Data($0.text.utf8)) }
        result(context, text: JSONText(.array(ids)).text)
      } catch {
        sqlite3_result_error(context, "\(error)", -1)
      }
    }
    define(handle, "varve_id", 1) { context, arguments in
      guard let bytes = Data(base64Encoded: text(arguments[0])) else {
        return sqlite3_result_null(context)
      }
      let id = EntityID(unchecked: String(decoding: bytes, as: UTF8.self))
      result(context, Value.reference(id))
    }
  }

  /// The beginning of the message of an aggregation that fails.
  static let tooLarge = "varve_aggregate: "

  /// Registers `varve_aggregate(value, aggregation)`.
  static func registerAggregate(on handle: OpaquePointer) {
    sqlite3_create_function_v2(
      handle,
      "varve_aggregate",
      2,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC,
      nil,
      nil,
      { context, _, arguments in
        guard let arguments, let values = AggregatedValues.of(context, creating: true) else {
          return sqlite3_result_error_nomem(context)
        }
        if values.aggregation == nil {
          values.aggregation = SQLFunctions.encoded(arguments[1]).flatMap {
            Aggregation(describedBy: $0)
          }
        }
        if let value = SQLFunctions.encoded(arguments[0]) { values.all.append(value) }
      },
      { context in
        let values = AggregatedValues.of(context, creating: false)
        defer { AggregatedValues.end(context) }
        // Without rows, the aggregation is not known.
        guard let values, let aggregation = values.aggregation else {
          return sqlite3_result_null(context)
        }
        do {
          let field = aggregation.field ?? .identifier
          guard let value = try aggregation.result(of: values.all.compactMap(field.interpreted))
          else { return sqlite3_result_null(context) }
          SQLFunctions.result(context, blob: value.encoded)
        } catch let error as VarveError {
          sqlite3_result_error(context, SQLFunctions.tooLarge + error.message, -1)
        } catch {
          sqlite3_result_error(context, "\(error)", -1)
        }
      },
      nil
    )
  }
}

/// The values of one call of `varve_aggregate`.
private final class AggregatedValues {
  var aggregation: Aggregation?
  var all: [Value] = []

  private typealias Place = UnsafeMutablePointer<Unmanaged<AggregatedValues>?>

  private static func place(_ context: OpaquePointer?, _ size: Int) -> Place? {
    sqlite3_aggregate_context(context, Int32(size))?.assumingMemoryBound(
      to: Unmanaged<AggregatedValues>?.self
    )
  }

  static func of(_ context: OpaquePointer?, creating isNew: Bool) -> AggregatedValues? {
    let size = isNew ? MemoryLayout<Unmanaged<AggregatedValues>?>.size : 0
    guard let place = place(context, size) else { return nil }
    if place.pointee == nil, isNew { place.pointee = .passRetained(AggregatedValues()) }
    return place.pointee?.takeUnretainedValue()
  }

  static func end(_ context: OpaquePointer?) {
    guard let place = place(context, 0) else { return }
    place.pointee?.release()
    place.pointee = nil
  }
}

/// The times at which an edge between two entities was declared and removed, in no order.
///
/// Adds of a former life do not count, nor do those paired with a property (R28).
package struct EdgeTimes: Sendable {
  package var adds: Set<HybridTime> = []
  package var removals: Set<HybridTime> = []

  package init() {}
}

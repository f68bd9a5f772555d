/// When a relation between two entities was declared and taken back, in no order.
///
/// Adds of a former life do not count, nor do those that are one fact with a property (R28).
package struct EdgeTimes: Sendable {
  package var adds: Set<HybridTime> = []
  package var removals: Set<HybridTime> = []

  package init() {}
}

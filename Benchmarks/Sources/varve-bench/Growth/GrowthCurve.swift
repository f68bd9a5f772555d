/// One thing's cost, or rate, as something grows.
struct GrowthCurve: Encodable {
  /// The growing quantity.
  enum Axis: String, Encodable {
    case entities
    case versions = "versions a property"
    case readers = "concurrent readers"
  }

  enum Unit: String, Encodable {
    /// Seconds for one operation: less is better.
    case seconds
    /// Operations per second: more is better.
    case perSecond
  }

  /// One measurement, repeated.
  struct Point: Encodable {
    let x: Int
    let median: Double
    /// Quartiles.
    let low: Double
    let high: Double
  }

  /// The points of one contestant.
  struct Series: Encodable {
    let contestant: String
    var points: [Point]
  }

  let name: String
  let axis: Axis
  let unit: Unit
  var series: [Series] = []
}

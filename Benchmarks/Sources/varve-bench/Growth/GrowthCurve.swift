/// One thing's cost, or rate, as something grows.
struct GrowthCurve: Encodable {
  /// What grows.
  enum Axis: String, Encodable {
    case entities
    case versions = "versions a property"
    case readers = "concurrent readers"
  }

  enum Unit: String, Encodable {
    /// For one of what the name says: less is better.
    case seconds
    /// How many a second: more is better.
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

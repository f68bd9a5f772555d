/// Curves, as their points come in.
struct GrowthCurves {
  private(set) var curves: [GrowthCurve] = []

  mutating func add(
    _ values: [Double],
    to name: String,
    of contestant: String = Contestants.varve,
    at x: Int,
    _ axis: GrowthCurve.Axis,
    _ unit: GrowthCurve.Unit = .seconds
  ) {
    let sample = Sample(values)
    let point = GrowthCurve.Point(x: x, median: sample.median, low: sample.low, high: sample.high)
    Report.show("  \(x) \(axis.rawValue): \(name), \(contestant): \(Self.shown(point, unit))")
    let curve = curves.firstIndex { $0.name == name } ?? curves.endIndex
    if curve == curves.endIndex { curves.append(GrowthCurve(name: name, axis: axis, unit: unit)) }
    if let place = curves[curve].series.firstIndex(where: { $0.contestant == contestant }) {
      curves[curve].series[place].points.append(point)
    } else {
      curves[curve].series.append(.init(contestant: contestant, points: [point]))
    }
  }

  private static func shown(_ point: GrowthCurve.Point, _ unit: GrowthCurve.Unit) -> String {
    func text(_ value: Double) -> String {
      unit == .seconds ? value.shownAsTime : "\(value.shown) a second"
    }
    return "\(text(point.median)) [\(text(point.low)) – \(text(point.high))]"
  }
}

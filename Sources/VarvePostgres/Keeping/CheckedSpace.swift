import VarveCore

/// The row of a space, as a check finds it.
struct CheckedSpace: Sendable {
  let id: SpaceID
  let name: String
  let head: HomeHead
  private let format: Int64
  private let leastHost: Int64
  /// The seal, and the head that it is about; nil if an older host wrote last.
  private let seal: (hash: Int64, head: Int64)?

  init(_ rows: PostgresResult, _ row: Int) {
    id = rows.space(row, 0)
    name = rows.text(row, 1) ?? ""
    head = HomeHead(
      position: HomePosition(
        incarnation: rows.integer(row, 2),
        number: rows.integer(row, 4),
        running: rows.integer(row, 5)
      ),
      replica: rows.replica(row, 3),
      format: Int(clamping: rows.integer(row, 6))
    )
    format = rows.integer(row, 6)
    leastHost = rows.integer(row, 7)
    let isSealed = !rows.isNull(row, 8) && !rows.isNull(row, 9)
    seal = isSealed ? (rows.integer(row, 8), rows.integer(row, 9)) : nil
  }

  /// The findings about the row itself.
  var findings: [String] {
    var findings: [String] = []
    let formats = 1...Int64(HomeHead.newestFormat)
    if !formats.contains(format) {
      findings.append("its format is \(format); this build knows 1 to \(HomeHead.newestFormat)")
    }
    // Only hosts that seal rows write to a relay.
    if head.isSealed, seal?.head != head.position.number {
      findings.append("it is a relay, and the seal of its head is missing")
    }
    if leastHost != 1 { findings.append("it needs hosts of version \(leastHost)") }
    if let seal, seal.head == head.position.number, seal.hash != RowSeal.of(head, of: id) {
      findings.append("its incarnation, replica, format or head was changed outside of Varve")
    }
    if let seal, seal.head > head.position.number {
      findings.append("its head is \(head.position.number), and was \(seal.head) before")
    }
    return findings
  }
}

extension PostgresResult {
  func space(_ row: Int, _ column: Int) -> SpaceID {
    let (high, low) = uuid(row, column)
    return SpaceID(high: high, low: low)
  }
}

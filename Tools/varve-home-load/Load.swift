import VarveCore
import VarvePostgres
import VarveStore

/// Work at a home, and how long it takes.
struct Load {
  let url: String
  /// The folder of the indexes.
  let folder: String

  /// Commits of one entity each, by writers that share some spaces evenly. Each writer waits for
  /// its commit before it begins the next.
  func commits(writerCount: Int, spaceCount: Int, seconds: Int) async throws -> [String: Double] {
    let stores = try await openSpaces(spaceCount, prefix: "commits-\(spaceCount)")
    // The first commit of a space also brings its type.
    for store in stores { try await store.create("Hat", ["name": "hat", "size": 57]) }
    let clock = ContinuousClock()
    let begin = clock.now
    let end = begin.advanced(by: .seconds(seconds))
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<writerCount {
        let store = stores[writer % spaceCount]
        group.addTask {
          var count = 0
          while clock.now < end {
            try await store.create("Hat", ["name": .string("hat \(count)"), "size": .int(57)])
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    let elapsed = begin.duration(to: clock.now)
    for store in stores { try await store.close() }
    return ["rate": Double(total) / elapsed.inSeconds, "commits": Double(total)]
  }

  /// Entities of nine properties, created by one transaction.
  func bulk(count: Int) async throws -> [String: Double] {
    let store = try await open("bulk")
    let clock = ContinuousClock()
    let duration = try await clock.measure {
      try await store.write { transaction in
        for number in 0..<count {
          try await transaction.create("Hat", id: EntityID("hat-\(number)"), Self.values(number))
        }
      }
    }
    try await store.close()
    return ["rate": Double(count) / duration.inSeconds]
  }

  /// Finds by id, one after another, of entities that are there.
  func finds(of count: Int, seconds: Int) async throws -> [String: Double] {
    let store = try await open("bulk")
    let clock = ContinuousClock()
    let begin = clock.now
    var found = 0
    var number = 0
    while begin.duration(to: clock.now) < .seconds(seconds) {
      for _ in 0..<1_000 {
        number = (number &+ 7_919) % count
        if try await store.entity(EntityID("hat-\(number)")) != nil { found += 1 }
      }
    }
    let elapsed = begin.duration(to: clock.now)
    try await store.close()
    return ["rate": Double(found) / elapsed.inSeconds]
  }

  /// Opens a space on a host without an index of it, beside the merge of two files with the same.
  func firstIndex(of count: Int) async throws -> [String: Double] {
    let clock = ContinuousClock()
    var source: Store?
    let indexed = try await clock.measure {
      source = try await open("bulk", index: "first")
      try await require(count, in: source)
    }
    guard let source else { return [:] }
    let copy = try await Store.open(.file("\(folder)/copy.varve"))
    try await copy.merge(from: source)
    let target = try await Store.open(.file("\(folder)/target.varve"))
    let merged = try await clock.measure {
      try await target.merge(from: copy)
      try await require(count, in: target)
    }
    for store in [source, copy, target] { try await store.close() }
    return ["seconds": indexed.inSeconds, "merge": merged.inSeconds]
  }

  /// The milliseconds from the return of a write of one host until a second host that follows all
  /// spaces has it: the median and the 99th percentile.
  func following(spaceCount: Int, roundCount: Int) async throws -> [String: Double] {
    let writers = try await openSpaces(spaceCount, prefix: "followed", index: "here")
    let readers = try await openSpaces(spaceCount, prefix: "followed", index: "there")
    let clock = ContinuousClock()
    let delays = try await withThrowingTaskGroup(of: [Double].self) { group in
      for (writer, reader) in zip(writers, readers) {
        group.addTask {
          var delays: [Double] = []
          let changes = try await reader.changes()
          var arrivals = changes.makeAsyncIterator()
          for _ in 0..<roundCount {
            try await Task.sleep(for: .milliseconds(.random(in: 200...1_000)))
            try await writer.create("Hat", ["size": 57])
            let written = clock.now
            guard try await arrivals.next() != nil else { break }
            delays.append(written.duration(to: clock.now).inSeconds * 1_000)
          }
          return delays
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    for store in writers + readers { try await store.close() }
    let sorted = delays.sorted()
    guard !sorted.isEmpty else { return [:] }
    return ["median": sorted[sorted.count / 2], "late": sorted[sorted.count * 99 / 100]]
  }

  private func openSpaces(
    _ count: Int,
    prefix: String,
    index: String = "index"
  ) async throws -> [Store] {
    let home = try await PostgresHome(url)
    var stores: [Store] = []
    for number in 0..<count {
      let name = "\(prefix)-\(number)"
      let file = Store.Location.file("\(folder)/\(index)-\(name).varve")
      stores.append(try await Store.open(.space(name, at: home, index: file)))
    }
    return stores
  }

  private func open(_ name: String, index: String = "index") async throws -> Store {
    let home = try await PostgresHome(url)
    let file = Store.Location.file("\(folder)/\(index)-\(name).varve")
    return try await Store.open(.space(name, at: home, index: file))
  }

  private func require(_ count: Int, in store: Store?) async throws {
    guard try await store?.types().first?.count == count else {
      throw VarveError(.missingDependencies, "a store lacks entities that were written")
    }
  }

  private static func values(_ number: Int) -> [PropertyKey: Value] {
    var values: [PropertyKey: Value] = ["name": .string("hat \(number)")]
    for key in 0..<8 { values[PropertyKey("p\(key)")] = .int(Int64(number + key)) }
    return values
  }
}

extension Duration {
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

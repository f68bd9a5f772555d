import Foundation
import VarveCore

/// The work of Varve's peers, from the same seeds: `Benchmarks/Peers/workload.py` generates the
/// same.
struct PeerWorkload {
  static let itemsPerCommit = 100
  /// The seeds of the changes in the two copies that are merged.
  static let copySeeds: [UInt64] = [11, 12]
  static let oldValueCount = 100
  private static let changeSeed: UInt64 = 2

  private static let words = [
    "amber", "birch", "cobalt", "dune", "elm", "fern", "garnet", "heron", "iris", "jade",
  ]

  let items: [PeerItem]
  private let changeCount: Int
  private let copyChangeCount: Int

  /// One write: which item's `count` becomes what.
  struct Change {
    let index: Int
    let count: Int64
  }

  init(isQuick: Bool) throws {
    let scale = isQuick ? 10 : 1
    changeCount = 50_000 / scale
    copyChangeCount = 10_000 / scale
    var random = SeededGenerator(state: 1)
    items = try (0..<10_000 / scale).map { try Self.item($0, &random) }
  }

  /// Step one: every entity, a fixed number per commit.
  var commitsOfItems: [ArraySlice<PeerItem>] { Self.parts(of: items) }

  /// Step two: a commit each.
  var changes: [Change] { changes(Self.changeSeed, changeCount) }

  /// Before step three: the changes of one copy, a fixed number per commit.
  func commitsOfCopy(_ seed: UInt64) -> [ArraySlice<Change>] {
    Self.parts(of: changes(seed, copyChangeCount))
  }

  private func changes(_ seed: UInt64, _ count: Int) -> [Change] {
    var random = SeededGenerator(state: seed)
    return (0..<count).map { _ in
      let index = Int(random.next() % UInt64(items.count))
      return Change(index: index, count: Int64(random.next() % 100_000))
    }
  }

  private static func parts<Element>(of all: [Element]) -> [ArraySlice<Element>] {
    stride(from: 0, to: all.count, by: itemsPerCommit).map {
      all[$0..<min($0 + itemsPerCommit, all.count)]
    }
  }

  private static func item(_ number: Int, _ random: inout SeededGenerator) throws -> PeerItem {
    let bits = random.next()
    let hex = String(
      format: "%012llx7%03llx8%015llx",
      1_760_000_000_000 + UInt64(number),
      bits >> 52,
      bits & ((1 << 60) - 1)
    )
    var id = hex
    for place in [20, 16, 12, 8] { id.insert("-", at: hex.index(hex.startIndex, offsetBy: place)) }
    let name = "item-\(number)-\(random.next() % 1_000)"
    let city = "city-\(1_000 + random.next() % 100)"
    let note = (0..<5).map { _ in words[Int(random.next() % UInt64(words.count))] }
    return PeerItem(
      id: try EntityID(id),
      name: name,
      city: city,
      note: note.joined(separator: " "),
      count: Int64(random.next() % 100_000),
      price: Double(random.next() % 1_000_000) / 100
    )
  }
}

/// An entity of five properties.
struct PeerItem {
  let id: EntityID
  let name: String
  let city: String
  let note: String
  let count: Int64
  let price: Double

  static let type: EntityType = "Item"
  static let keys: [PropertyKey] = ["name", "city", "note", "count", "price"]

  var values: [Value?] {
    [.string(name), .string(city), .string(note), .int(count), .double(price)]
  }
}

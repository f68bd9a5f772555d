import Foundation
import VarveCore

/// Makes items, the same ones for the same seed.
struct ItemGenerator {
  private var random: SeededGenerator
  private let noteByteCount: Int
  private var milliseconds: Int64 = 1_760_000_000_000
  private let suppliers: [EntityID]

  /// - Parameter noteByteCount: the length of the text that makes an item small or large.
  init(seed: UInt64 = 1, noteByteCount: Int = 30) {
    var random = SeededGenerator(state: seed)
    self.noteByteCount = noteByteCount
    suppliers = (0..<1_000).map { _ in
      EntityID.new(millisecondsSince1970: 1_750_000_000_000, using: &random)
    }
    self.random = random
  }

  /// Returns items of about 100 bytes.
  static func small(_ count: Int, seed: UInt64 = 1) -> [Item] {
    var generator = ItemGenerator(seed: seed)
    return (0..<count).map { _ in generator.next() }
  }

  /// Returns items of about 650 bytes.
  static func wide(_ count: Int) -> [Item] {
    var generator = ItemGenerator(seed: 2, noteByteCount: 580)
    return (0..<count).map { _ in generator.next() }
  }

  mutating func next() -> Item {
    milliseconds += 1
    let id = EntityID.new(millisecondsSince1970: milliseconds, using: &random)
    let supplier = suppliers[Int(random.next() % 1_000)]
    return Item(
      id: id,
      textID: id.text,
      name: "item-" + text(11),
      city: Item.city(Int(random.next() % UInt64(Item.cityCount))),
      note: text(noteByteCount),
      count: Int(random.next() % 100_000),
      price: Double(random.next() % 1_000_000) / 100,
      isActive: random.next() & 1 == 0,
      created: Date(timeIntervalSinceReferenceDate: Double(milliseconds) / 1_000),
      supplier: supplier,
      textSupplier: supplier.text
    )
  }

  /// Words, so that texts compress about as well as real ones.
  private mutating func text(_ byteCount: Int) -> String {
    var text = ""
    while text.utf8.count < byteCount {
      text += Self.words[Int(random.next() % UInt64(Self.words.count))]
      text += String(random.next() % 100)
    }
    return String(text.prefix(byteCount))
  }

  private static let words = [
    "amber ", "birch ", "cobalt ", "dune ", "elm ", "fern ", "garnet ", "heron ", "iris ", "jade ",
    "kelp ", "lark ", "moss ", "north ", "opal ", "pine ", "quartz ", "reed ", "slate ", "tern ",
  ]
}

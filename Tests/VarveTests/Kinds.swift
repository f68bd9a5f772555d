import Foundation
import Testing
import Varve

enum Color: String { case red, blue }
enum Size: Int, Codable {
  case small = 1
  case large
}
enum Tint: String, PropertyValue { case pale, deep }

struct Band: Codable, Hashable {
  var width: Double
  var note: String?
}

/// A property of every kind that must be there.
@Entity struct Required {
  var id = Identifier<Required>()
  var text: String
  var flag: Bool
  var int: Int
  var small: Int8
  var unsigned: UInt32
  var double: Double
  var float: Float
  var date: Date
  var data: Data
  var uuid: UUID
  var url: URL
  var decimal: Decimal
  var color: Color
  var size: Size
  var tint: Tint
  var band: Band
  var texts: [String]
  var tints: [Tint]
  var sizes: [Size]
  var bands: [Band]
  var numbers: Set<Int>
  var prices: [String: Double]
  var nested: [String: [Int]]
  var value: Value
  var entity: EntityID
  var other: Identifier<Optionals>
  var reference: Ref<Required>
}

/// The same, each of which may be nothing.
@Entity struct Optionals {
  var id = Identifier<Optionals>()
  var text: String?
  var flag: Bool?
  var int: Int?
  var small: Int8?
  var unsigned: UInt32?
  var double: Double?
  var float: Float?
  var date: Date?
  var data: Data?
  var uuid: UUID?
  var url: URL?
  var decimal: Decimal?
  var color: Color?
  var size: Size?
  var tint: Tint?
  var band: Band?
  var texts: [String]?
  var tints: [Tint]?
  var sizes: [Size]?
  var bands: [Band]?
  var numbers: Set<Int>?
  var prices: [String: Double]?
  var nested: [String: [Int]]?
  var value: Value?
  var entity: EntityID?
  var other: Identifier<Required>?
  var reference: Ref<Optionals>?
}

/// The same, with something to begin with.
@Entity("defaults") struct Defaults {
  static let day = Date(timeIntervalSince1970: 86_400)

  var id = Identifier<Defaults>()
  var text = "begin"  // as others, = and all
  var flag = true
  var int = 7, small: Int8 = -3, unsigned: UInt32 = 4_000_000_000
  var double = 0.1
  var float: Float = 0.2
  var date = Defaults.day
  var data = Data([1, 2])
  var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  var url = URL(filePath: "/hats")
  var decimal: Decimal = 3
  var color: Color = .blue
  var size = Size.large
  var tint: Tint = .deep
  var band = Band(width: 2, note: "wide")
  var texts = ["a"]
  var tints: [Tint] = [.pale]
  var sizes: [Size] = [.small]
  var bands: [Band] = []
  var numbers: Set<Int> = [3]
  var prices = ["x": 1.5]
  var value: Value = 5
  var entity: EntityID = "entity-1"
  var other: Identifier<Required> = "other-1"
  var reference = Ref<Defaults>("defaults-1")
  var note: String? = "not read from an empty row"
}

extension Required {
  /// One whose values are hard to keep.
  static func sample() throws -> Required {
    Required(
      text: "e\u{301}\u{0} \"'😀",
      flag: true,
      int: .min,
      small: -128,
      unsigned: .max,
      double: .leastNonzeroMagnitude,
      float: 0.1,
      date: Date(timeIntervalSince1970: 0.001),
      data: Data([0, 255]),
      uuid: UUID(),
      url: try #require(URL(string: "https://hats.example/?a=b&c=%20#d")),
      decimal: try #require(Decimal(string: "12345678901234567890.000000001")),
      color: .blue,
      size: .large,
      tint: .deep,
      band: Band(width: -0.5, note: nil),
      texts: ["", "a", "a"],
      tints: [.deep, .pale],
      sizes: [.large, .large],
      bands: [Band(width: 1, note: "x"), Band(width: 2)],
      numbers: [3, 1, 2],
      prices: ["": 0.1, "b.c": -1],
      nested: ["x": [1, 2], "y": []],
      value: ["k": [1, 2.5, "x"]],
      entity: "e-1",
      other: "o-1",
      reference: Ref("r-1")
    )
  }
}

import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Codable types as values")
struct ValueCodingTests {
  private func encode(_ thing: some Encodable) throws -> Value { try ValueEncoder().encode(thing) }

  private func decode<T: Decodable>(_ value: Value, as type: T.Type = T.self) throws -> T {
    try ValueDecoder().decode(type, from: value)
  }

  struct Hat: Codable, Equatable {
    var color: String
    var brim = 12
    var crown: Double?
    var tags: [String] = []
    var band: Band?
  }

  struct Band: Codable, Equatable {
    var width: UInt8
    var sold: Date
  }

  @Test func `keyed types are dictionaries, others arrays; a nil omits its key`() throws {
    let sold = Date(timeIntervalSinceReferenceDate: 0.1)
    let hat = Hat(color: "red", tags: ["a", "b"], band: Band(width: 3, sold: sold))
    let value: Value = [
      "color": "red", "brim": 12, "tags": ["a", "b"], "band": ["width": 3, "sold": .date(sold)],
    ]
    #expect(try encode(hat) == value)
    #expect(try decode(value) == hat)
    #expect(try encode([1: "x", 2: "y"]) == ["1": "x", "2": "y"])
    #expect(try decode(["1": "x", "2": "y"], as: [Int: String].self) == [1: "x", 2: "y"])
  }

  @Test func `scalars are values of their own kind, also by themselves`() throws {
    let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(try encode(true) == true)
    #expect(try encode(Int8(-3)) == -3)
    #expect(try encode(UInt64(Int64.max)) == .int(.max))
    #expect(try encode(-0.0) == .double(-0.0))
    #expect(try encode("e\u{301}") == "e\u{301}")
    #expect(try encode(Data([0, 255])) == .data(Data([0, 255])))
    #expect(try encode(EntityID("hat-1")) == .reference("hat-1"))
    #expect(try encode(URL(string: "https://hats.example/a?b#c")) == "https://hats.example/a?b#c")
    #expect(try encode(id) == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    #expect(try decode("e621e1f8-c36c-495a-93fc-0c247a3e6e5f", as: UUID.self) == id)
    #expect(try encode(Decimal(string: "-12.50")) == "-12.5")
    #expect(try decode("-12.50", as: Decimal.self) == Decimal(string: "-12.5"))
    #expect(try decode(.reference("hat-1"), as: EntityID.self) == "hat-1")
  }

  @Test func `doubles and floats keep their bits, NaN's too`() throws {
    let signalling = Float(bitPattern: 0xFFA0_0001)
    for float in [0, -0.0, 1.1, .infinity, .nan, signalling, .leastNonzeroMagnitude, .pi] as [Float]
    {
      let back = try decode(encode(float), as: Float.self)
      #expect(back.bitPattern == float.bitPattern)
    }
    for bits in [0x7FF0_0000_0000_0001, 0xFFF8_0000_0000_0007, 0x8000_0000_0000_0000] as [UInt64] {
      let double = Double(bitPattern: bits)
      #expect(try decode(encode(double), as: Double.self).bitPattern == bits)
    }
    #expect(try decode(.double(Double(bitPattern: 0x7FF0_0000_0000_0001)), as: Float.self).isNaN)
  }

  @Test(arguments: [
    "0", "-0.1", "340282366920938463463374607431768211455", "1e127", "1e-127",
    "-340282366920938463463374607431768211455e-128", "123456789.987654321",
  ]
  )
  func `decimals keep all their digits`(text: String) throws {
    let decimal = try #require(Decimal(string: text))
    #expect(try decode(encode(decimal), as: Decimal.self) == decimal)
  }

  @Test func `a decimal that is no number is one after reading, too`() throws {
    #expect(try decode(encode(Decimal.nan), as: Decimal.self).isNaN)
  }

  @Test func `numbers are decoded as the requested type if nothing is lost`() throws {
    #expect(try decode(12, as: Double.self) == 12)
    #expect(try decode(12.0, as: Int.self) == 12)
    #expect(try decode(0.1, as: Float.self) == 0.1)
    #expect(throws: VarveError.self) { try decode(12.5, as: Int.self) }
    #expect(throws: VarveError.self) { try decode(.int(.max), as: Double.self) }
    #expect(throws: VarveError.self) { try decode(1e300, as: Float.self) }
    #expect(throws: VarveError.self) { try decode(256, as: UInt8.self) }
    #expect(throws: VarveError.self) { try decode(.double(.nan), as: Int.self) }
    #expect(throws: VarveError.self) { try decode(true, as: Int.self) }
    #expect(try decode(encode(Int128(7)), as: UInt128.self) == 7)
  }

  enum Trim: Codable, Equatable {
    case plain
    case ribbon(width: Int, String?)
    indirect case both(Trim, Trim)
  }

  enum Size: String, Codable {
    case small
    case large
  }

  @Test func `enums: raw values, associated values, nested in each other`() throws {
    #expect(try encode(Size.small) == "small")
    #expect(try encode(Trim.plain) == ["plain": [:]])
    let ribbon = Trim.ribbon(width: 3, nil)
    #expect(try encode(ribbon) == ["ribbon": ["width": 3]])
    let both = Trim.both(.both(.plain, ribbon), .ribbon(width: 0, "x"))
    #expect(try decode(encode(both)) == both)
    let unknown = #expect(throws: VarveError.self) { try decode("huge", as: Size.self) }
    #expect(unknown?.code == .unsupportedValue)
  }

  struct Nothing: Codable, Equatable {}

  @Test func `a type without properties is an empty dictionary`() throws {
    #expect(try encode(Nothing()) == [:])
    #expect(try decode(encode([Nothing()])) == [Nothing()])
  }

  class Clothing: Codable {
    var name = "cap"
  }

  final class Cap: Clothing {
    var peak = 7
    private enum CodingKeys: CodingKey { case peak }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      peak = try container.decode(Int.self, forKey: .peak)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(peak, forKey: .peak)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test func `a superclass is coded in a place of its own`() throws {
    let value = try encode(Cap())
    #expect(value == ["peak": 7, "super": ["name": "cap"]])
    #expect(try decode(value, as: Cap.self).name == "cap")
  }

  /// Codes by hand, through every kind of nested container.
  struct ByHand: Codable, Equatable {
    var numbers = [1, 2]
    var label: String?
    private enum CodingKeys: CodingKey {
      case outer
      case label
    }

    init(label: String?) { self.label = label }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      label = try container.decode(String?.self, forKey: .label)
      var outer = try container.nestedUnkeyedContainer(forKey: .outer)
      let inner = try outer.nestedContainer(keyedBy: CodingKeys.self)
      #expect(inner.allKeys == [.label])
      #expect(try inner.decodeNil(forKey: .outer))
      var list = try outer.nestedUnkeyedContainer()
      numbers = []
      while !list.isAtEnd { numbers.append(try list.decode(Int.self)) }
      #expect(list.count == list.currentIndex)
      #expect(try outer.superDecoder().singleValueContainer().decode(Bool.self))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(label, forKey: .label)
      var outer = container.nestedUnkeyedContainer(forKey: .outer)
      var inner = outer.nestedContainer(keyedBy: CodingKeys.self)
      try inner.encode("in", forKey: .label)
      try inner.encodeNil(forKey: .outer)
      var list = outer.nestedUnkeyedContainer()
      for number in numbers { try list.encode(number) }
      var single = outer.superEncoder().singleValueContainer()
      try single.encode(true)
    }
  }

  @Test(arguments: ["x", nil])
  func `types that code themselves by hand`(label: String?) throws {
    let thing = ByHand(label: label)
    var expected: [PropertyKey: Value] = ["outer": [["label": "in"], [1, 2], true]]
    if let label { expected["label"] = .string(label) }
    #expect(try encode(thing) == .dictionary(expected))
    #expect(try decode(encode(thing)) == thing)
  }

  @Test func `any text is a key, and is one by its bytes`() throws {
    let keys = ["", ".", "\0", "a b", "0", "👩‍👩‍👧"]
    let thing = Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
    #expect(try decode(encode(thing)) == thing)
  }
}

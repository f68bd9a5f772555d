import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Types without values, and values of other types")
struct ValueCodingErrorTests {
  struct Shop: Codable {
    var name: String
    var hats: [Hat] = []
  }

  struct Hat: Codable {
    var size: Int
    var owner: EntityID?
  }

  private func refusal<T: Decodable>(_ value: Value, as type: T.Type) -> VarveError? {
    #expect(throws: VarveError.self) { try ValueDecoder().decode(type, from: value) }
  }

  private func refusal(_ thing: some Encodable) -> VarveError? {
    #expect(throws: VarveError.self) { try ValueEncoder().encode(thing) }
  }

  @Test func `a value of another kind is reported by its path`() {
    let value: Value = ["name": "Fedora", "hats": [["size": 1], ["size": "wide"]]]
    let error = refusal(value, as: Shop.self)
    #expect(error?.code == .fieldType)
    #expect(error?.place == "hats[1].size")
    #expect(error?.message.hasPrefix("the string \"wide\" is in the place of an integer") == true)
    #expect(error?.remedy != nil)
  }

  @Test func `a missing value is reported by its path`() {
    let error = refusal(["name": "x", "hats": [[:]]], as: Shop.self)
    #expect(error?.code == .fieldType)
    #expect(error?.place == "hats[0].size")
    #expect(error?.message == "nothing is stored under size")
  }

  @Test func `dictionaries, arrays and scalars are no substitutes for each other`() {
    #expect(refusal([], as: Shop.self)?.message == "an array is in the place of a dictionary")
    #expect(refusal([:], as: [Int].self)?.code == .fieldType)
    #expect(refusal([:], as: [Int].self)?.place == nil)
    #expect(refusal([1], as: Int.self)?.code == .fieldType)
    #expect(refusal(["name": "x", "hats": [1]], as: Shop.self)?.place == "hats[0]")
    #expect(refusal("hat-1", as: EntityID.self)?.code == .fieldType)
    #expect(refusal([1], as: [Bool].self)?.place == "[0]")
    #expect(refusal(["x": [1]], as: [Int: [Int]].self)?.code == .fieldType)
  }

  @Test func `texts that are no URL, UUID or decimal`() {
    #expect(refusal("", as: URL.self)?.code == .fieldType)
    #expect(refusal("E621", as: UUID.self)?.code == .fieldType)
    for text in ["", "12 hats", "1,5", "0x1F", ".5", "٣", "1e", "--1", "1\n"] {
      #expect(refusal(.string(text), as: Decimal.self)?.code == .fieldType)
    }
  }

  @Test func `a nil has no place in an array, nor by itself`() {
    #expect(refusal([1, nil, 3])?.code == .unsupportedValue)
    #expect(refusal(["hats": [nil, 1]])?.place == "hats[0]")
    #expect(refusal(Int?.none)?.code == .unsupportedValue)
    #expect(refusal([[Int?.none]])?.place == "[0][0]")
  }

  @Test func `integers beyond 64 signed bits have no value`() {
    let error = refusal(["a": [UInt64(Int64.max) + 1]])
    #expect(error?.code == .unsupportedValue)
    #expect(error?.place == "a[0]")
    #expect(refusal(UInt64.max)?.message.contains("18446744073709551615") == true)
    #expect(refusal(Int128.min)?.code == .unsupportedValue)
  }

  @Test func `errors that a type throws itself are rethrown`() {
    struct Refusing: Codable {
      init() {}
      init(from decoder: any Decoder) throws { throw CancellationError() }
      func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }
    #expect(throws: CancellationError.self) { try ValueEncoder().encode([Refusing()]) }
    #expect(throws: CancellationError.self) {
      try ValueDecoder().decode([Refusing].self, from: [1])
    }
  }

  @Test func `identifiers of an illegal length are refused by other decoders too`() throws {
    let data = try JSONEncoder().encode([EntityID("hat-1")])
    #expect(try JSONDecoder().decode([EntityID].self, from: data) == ["hat-1"])
    let empty = #expect(throws: VarveError.self) {
      try JSONDecoder().decode([EntityID].self, from: Data("[\"\"]".utf8))
    }
    #expect(empty?.code == .invalidIdentifier)
  }
}

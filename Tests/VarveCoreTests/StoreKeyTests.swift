import Testing
import VarveCore

@Suite struct StoreKeyTests {
  private static let secret = "correct horse battery staple"

  @Test func `a key prints nothing of itself`() throws {
    let bytes = Array(Self.secret.utf8.prefix(StoreKey.byteCount)) + [1, 2, 3, 4]
    for key in [try StoreKey(passphrase: Self.secret), try StoreKey(bytes: bytes)] {
      var dumped = ""
      dump(key, to: &dumped)
      for text in [
        "\(key)", String(reflecting: key), "\([key])", "\(Optional(key) as Any)", dumped,
      ] {
        #expect(text.contains("StoreKey"))
        #expect(!text.contains("horse") && !text.contains("99, 111"))
      }
    }
  }

  @Test func `a text of 64 hexadecimal digits is a raw key, and every other a passphrase`() throws {
    let digits = String(repeating: "0aF", count: 21) + "1"
    let key = try StoreKey(text: "x'\(digits)'")
    #expect(key.form == .raw)
    #expect(key.secret.withUnsafeBytes { Array($0.prefix(3)) } == [0x0A, 0xF0, 0xAF])
    for text in ["x'\(digits)", "x'\(digits.dropLast())'", "x'\(digits.dropLast())g'", digits, "é"]
    {
      let key = try StoreKey(text: text)
      #expect(key.form == .passphrase)
      #expect(key.secret.withUnsafeBytes { Array($0) } == Array(text.utf8))
    }
  }

  @Test func `an empty passphrase and a raw key of another length are refused`() {
    #expect(throws: VarveError.self) { try StoreKey(passphrase: "") }
    #expect(throws: VarveError.self) { try StoreKey(text: "") }
    for count in [0, 31, 33] {
      #expect(throws: VarveError.self) { try StoreKey(bytes: [UInt8](repeating: 1, count: count)) }
    }
  }

  @Test func `random keys differ`() {
    let keys = (0..<10).map { _ in StoreKey.random().secret.withUnsafeBytes { Array($0) } }
    #expect(Set(keys).count == 10 && keys.allSatisfy { $0.count == StoreKey.byteCount })
  }

  @Test func `chunks are sealed each in its own way, and opened in their order only`() throws {
    var sealer = ChunkSealer()
    let chunk = Array("the same text".utf8)
    let sealed = try [sealer.seal(chunk), sealer.seal(chunk)]
    #expect(sealed[0] != sealed[1])
    #expect(sealed.allSatisfy { $0.count == chunk.count + ChunkSealer.overhead })
    #expect(try sealer.open(sealed[0]) == chunk)
    #expect(try sealer.open(sealed[1]) == chunk)
    sealer.rewind()
    #expect(throws: (any Error).self) { try sealer.open(sealed[1]) }
    var other = ChunkSealer()
    #expect(throws: (any Error).self) { try other.open(sealed[0]) }
  }
}

import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Values nested deep")
struct DeepCodingTests {
  /// A list in a list: nests values.
  final class Chain: Codable {
    var next: Chain?
    init(_ next: Chain?) { self.next = next }
  }

  /// A type that only wraps another: it nests calls, not values.
  indirect enum Wrapped: Codable {
    case leaf
    case wrapped(Wrapped)

    init(from decoder: any Decoder) throws {
      self = .wrapped(try decoder.singleValueContainer().decode(Wrapped.self))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .leaf: try container.encode(1)
      case .wrapped(let inner): try container.encode(inner)
      }
    }
  }

  /// Makes containers in containers without ever calling another encoder.
  struct Digger: Encodable {
    var depth: Int
    var writes: Bool
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for _ in 1..<depth { container = container.nestedUnkeyedContainer() }
      if writes { try container.encode(1) }
    }
  }

  /// The deepest nesting of types in types.
  static let deepest = 200

  private static func chain(_ length: Int) -> Chain {
    (1..<length).reduce(Chain(nil)) { chain, _ in Chain(chain) }
  }

  @Test func `types nest in types to a bound, in the smallest stack that threads have`() async {
    let errors = await onSmallStack { () -> [VarveError?] in
      do {
        let value = try ValueEncoder().encode(Self.chain(Self.deepest))
        _ = try ValueDecoder().decode(Chain.self, from: value)
        return [
          Self.error { _ = try ValueEncoder().encode(Self.chain(Self.deepest + 1)) },
          Self.error { _ = try ValueDecoder().decode(Chain.self, from: ["next": value]) },
        ]
      } catch {
        return [nil]
      }
    }
    #expect(errors.map(\.?.code) == [.unsupportedValue, .unsupportedValue])
    #expect(errors.allSatisfy { $0?.place?.hasPrefix("….next.next") == true })
  }

  private static func error(_ body: () throws -> Void) -> VarveError? {
    do {
      try body()
      return nil
    } catch {
      return error as? VarveError
    }
  }

  /// Returns the result of a body in a thread whose stack is as small as the smallest of systems.
  private func onSmallStack<Answer: Sendable>(
    _ body: @escaping @Sendable () -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      thread.stackSize = 512 << 10
      thread.start()
    }
  }

  @Test func `a cycle of objects is refused`() {
    let chain = Chain(nil)
    chain.next = Chain(chain)
    defer { chain.next = nil }
    let error = #expect(throws: VarveError.self) { try ValueEncoder().encode(chain) }
    #expect(error?.code == .unsupportedValue)
  }

  @Test func `so is a type that hands on to itself without end`() {
    var endless = Wrapped.leaf
    for _ in 0..<2_000 { endless = .wrapped(endless) }
    let encoded = #expect(throws: VarveError.self) { try ValueEncoder().encode(endless) }
    #expect(encoded?.code == .unsupportedValue)
    let decoded = #expect(throws: VarveError.self) {
      try ValueDecoder().decode(Wrapped.self, from: 1)
    }
    #expect(decoded?.code == .unsupportedValue)
  }

  @Test(arguments: [true, false])
  func `containers in containers are bounded, written to or not`(writes: Bool) throws {
    let fits = try ValueEncoder().encode(Digger(depth: Value.maximumDepth, writes: writes))
    #expect(try Value(encoded: fits.encoded) == fits)
    for depth in [Value.maximumDepth + 1, 1_000_000] {
      let error = #expect(throws: VarveError.self) {
        try ValueEncoder().encode(Digger(depth: depth, writes: writes))
      }
      #expect(error?.code == .unsupportedValue)
    }
  }

  @Test func `a value that is nested deeper than values may be is not read`() {
    var value: Value = ["next": [:]]
    for _ in 0..<2_000 { value = ["next": value] }
    let error = #expect(throws: VarveError.self) {
      try ValueDecoder().decode(Chain.self, from: value)
    }
    #expect(error?.code == .unsupportedValue)
  }
}

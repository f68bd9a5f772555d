import Foundation
import Synchronization
import Testing
import VarveCore
import VarveStore

/// An option, with the result of a naive evaluation.
protocol OptionKind: Sendable {
  static var option: FieldOption { get }
  /// Whether properties of a nature can have it.
  static func isFor(_ nature: Nature) -> Bool
  /// Whether a value satisfies it.
  static func allows(_ judged: Judged) -> Bool
}

enum LiteralRange: OptionKind {
  static let option = FieldOption.range(2...4)
  static func isFor(_ nature: Nature) -> Bool { [.number, .decimal, .any].contains(nature) }
  static func allows(_ judged: Judged) -> Bool { judged.number.map { 2 <= $0 && $0 <= 4 } ?? false }
}
enum FractionRange: OptionKind {
  static let option = FieldOption.range(1.5...2.5)
  static func isFor(_ nature: Nature) -> Bool { LiteralRange.isFor(nature) }
  static func allows(_ judged: Judged) -> Bool {
    judged.number.map { 1.5 <= $0 && $0 <= 2.5 } ?? false
  }
}
enum OpenRange: OptionKind {
  static let option = FieldOption.range(..<4)
  static func isFor(_ nature: Nature) -> Bool { LiteralRange.isFor(nature) }
  static func allows(_ judged: Judged) -> Bool { judged.number.map { $0 < 4 } ?? false }
}
enum DecimalRange: OptionKind {
  static let option = FieldOption.range(Decimal(2)..<Decimal(4))
  static func isFor(_ nature: Nature) -> Bool { LiteralRange.isFor(nature) }
  static func allows(_ judged: Judged) -> Bool { judged.number.map { 2 <= $0 && $0 < 4 } ?? false }
}
enum TextRange: OptionKind {
  static let option = FieldOption.range("b"..."d")
  static func isFor(_ nature: Nature) -> Bool { nature == .text || nature == .any }
  static func allows(_ judged: Judged) -> Bool {
    judged.text.map { Array("b".utf8).precedes($0.utf8) && Array($0.utf8).precedes("d".utf8) }
      ?? false
  }
}
enum DateRange: OptionKind {
  static let option = FieldOption.range(Date.test(0)..<Date.test(2))
  static func isFor(_ nature: Nature) -> Bool { nature == .date || nature == .any }
  static func allows(_ judged: Judged) -> Bool {
    judged.date.map { Date.test(0) <= $0 && $0 < Date.test(2) } ?? false
  }
}
enum Length: OptionKind {
  static let option = FieldOption.length(1...3)
  static func isFor(_ nature: Nature) -> Bool {
    [.text, .data, .collection, .any].contains(nature)
  }
  static func allows(_ judged: Judged) -> Bool { judged.count.map { 1...3 ~= $0 } ?? false }
}
enum Pattern: OptionKind {
  static let option = FieldOption.pattern("[bc]+")
  static func isFor(_ nature: Nature) -> Bool { nature == .text || nature == .any }
  static func allows(_ judged: Judged) -> Bool {
    judged.text.map { !$0.isEmpty && $0.allSatisfy { "bc".contains($0) } } ?? false
  }
}
enum Needed: OptionKind {
  static let option = FieldOption.required
  static func isFor(_ nature: Nature) -> Bool { nature != .many }
  static func allows(_ judged: Judged) -> Bool { !judged.isNothing && judged.text != "" }
}
enum Refusing: OptionKind {
  static let option = FieldOption.check("never") { _ in false }
  static func isFor(_ nature: Nature) -> Bool { nature != .many }
  static func allows(_ judged: Judged) -> Bool { false }
}
enum Searchable: OptionKind {
  static let option = FieldOption.searchable
  static func isFor(_ nature: Nature) -> Bool { nature == .text || nature == .any }
  static func allows(_ judged: Judged) -> Bool { true }
}
enum Dated: OptionKind {
  static let option = FieldOption.updatedAt
  static func isFor(_ nature: Nature) -> Bool { nature == .date }
  static func allows(_ judged: Judged) -> Bool { true }
}
enum Relating: OptionKind {
  static let option = FieldOption.relation(.owns)
  static func isFor(_ nature: Nature) -> Bool { nature == .many || nature == .reference }
  static func allows(_ judged: Judged) -> Bool { true }
}

extension Collection where Element == UInt8 {
  fileprivate func precedes(_ other: some Collection<UInt8>) -> Bool {
    !other.lexicographicallyPrecedes(self)
  }
}

/// A model with one property of a kind and one option.
struct Optioned<V: PropertyKind, O: OptionKind>: Persistable {
  static var schema: Schema<Self> {
    Schemas.schema(of: Self.self) {
      Schema(EntityType("\(V.self) \(O.self)")) { V.field(\.value, O.option) }
    }
  }

  var id = Identifier<Self>()
  var value: V

  init(_ value: V) { self.value = value }

  init(row: EntityRow) throws {
    id = try row.id()
    value = try V.read(from: row)
  }

  func write(to values: inout PropertyValues) throws { try value.append(to: &values) }
}

/// Schemas of generic models, which have no static constants.
private enum Schemas {
  private static let all = Mutex<[ObjectIdentifier: any Sendable]>([:])

  static func schema<Model: Persistable>(
    of model: Model.Type,
    _ make: () -> Schema<Model>
  ) -> Schema<Model> {
    all.withLock { all in
      if let known = all[ObjectIdentifier(model)] as? Schema<Model> { return known }
      let schema = make()
      all[ObjectIdentifier(model)] = schema
      return schema
    }
  }
}

@Suite("Options of properties")
struct OptionTests {
  static let kinds: [any PropertyKind.Type] = [
    Int.self, Int8.self, UInt32.self, UInt64.self, Double.self, Float.self, Decimal.self,
    String.self, Bool.self, Date.self, Data.self, UUID.self, URL.self, [String].self, [Int].self,
    Set<Int>.self, [String: Int].self, [Int: Int].self, [UUID: Int].self, PlainColor.self,
    CodedSize.self, Celsius.self, Band.self, Value.self, EntityID.self, Identifier<Hat>.self,
    Ref<Hat>.self,
  ]
  static let optionals: [any PropertyKind.Type] = [
    Int?.self, Int8?.self, UInt32?.self, Double?.self, Float?.self, Decimal?.self, String?.self,
    Bool?.self, Date?.self, Data?.self, UUID?.self, URL?.self, [String]?.self, Set<Int>?.self,
    [String: Int]?.self, PlainColor?.self, CodedSize?.self, Celsius?.self, Band?.self, Value?.self,
    EntityID?.self, Identifier<Hat>?.self, Ref<Hat>?.self, Many<Hat>.self,
  ]
  static let options: [any OptionKind.Type] = [
    LiteralRange.self, FractionRange.self, OpenRange.self, DecimalRange.self, TextRange.self,
    DateRange.self, Length.self, Pattern.self, Needed.self, Refusing.self, Searchable.self,
    Dated.self, Relating.self,
  ]

  @Test func `each is enforced on every type of property it is for, and refused on all others`()
    async throws
  {
    for kind in Self.kinds + Self.optionals {
      let store = try await makeStore(.memory)
      for option in Self.options { try await probe(kind, option, store) }
    }
  }

  private func probe(
    _ kind: any PropertyKind.Type,
    _ option: any OptionKind.Type,
    _ store: Store
  ) async throws {
    func open<V: PropertyKind>(_ kind: V.Type) async throws {
      func open<O: OptionKind>(_ option: O.Type) async throws {
        try await probe(each: kind, option, store)
      }
      try await open(option)
    }
    try await open(kind)
  }

  private func probe<V: PropertyKind, O: OptionKind>(
    each kind: V.Type,
    _ option: O.Type,
    _ store: Store
  ) async throws {
    let type = Optioned<V, O>.schema.type
    for (index, sample) in V.samples.enumerated() {
      let place = "\(sample) as \(V.self), \(O.self)"
      let model = Optioned<V, O>(sample)
      let error = await failure { try await store.save(model) }
      guard O.isFor(V.nature) else {
        #expect(error?.code == .invalidArgument, "\(place): \(error?.message ?? "saved")")
        let asked = await failure { _ = try await store.issues(of: Optioned<V, O>.self) }
        #expect(asked?.code == .invalidArgument, "\(place)")
        return
      }
      let judged = sample.judged
      let isAllowed =
        O.allows(judged)
        || (judged.isNothing && O.self != Needed.self
          && O.self != Refusing.self)
      #expect(error == nil || error?.code == .validationFailed, "\(place): \(error?.message ?? "")")
      #expect((error == nil) == isAllowed, "\(place)")
      // Values that others wrote are issues exactly if a save would refuse them.
      let id = EntityID(stringLiteral: "raw-\(type.text)-\(index)")
      try await store.create(type, id: id, sample.stored.map { ["value": $0] } ?? [:])
      let broken = try await store.issues(of: Optioned<V, O>.self).contains { issue in
        if case .broken(let broken) = issue { broken.entity == id } else { false }
      }
      #expect(broken == !isAllowed, "issue of \(place)")
    }
  }

  @Test func `an end of a range is compared as a value of the property's type`() async throws {
    let store = try await makeStore(.memory)
    try await store.save(Optioned<Float, Tenth>(0.1))
    try await store.save(Optioned<Double, Tenth>(0.1))
    try await store.save(Optioned<Decimal, Tenth>(try #require(Decimal(string: "0.1"))))
    #expect(await failure { try await store.save(Optioned<Float, Tenth>(0.11)) } != nil)
  }

  private enum Tenth: OptionKind {
    static let option = FieldOption.range(...0.1)
    static func isFor(_ nature: Nature) -> Bool { true }
    static func allows(_ judged: Judged) -> Bool { true }
  }
}

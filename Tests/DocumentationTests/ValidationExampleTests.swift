import Foundation
import Testing
import VarveStore

/// The code of the article on validating. See `ExampleTests`.
@Suite("The examples of validating behave as documented")
struct ValidationExampleTests {
  @Test func `the examples of validating run`() async throws {
    let store = try await Store.open(.inMemory)
    // snippet: Sources/VarveStore/VarveStore.docc/Validating.md
    let hat: [PropertyKey: Value] = ["color": "", "brim_size": 4]
    let validation = Validation(model: "Hat")
      .presence(of: "color", hat["color"])
      .bounds(of: "brimSize", hat["brim_size"], min: 5, max: 15)
      .length(of: "note", hat["note"]?.stringValue, ...200)
      .pattern(of: "code", hat["code"]?.stringValue, /[A-Z]{2}-[0-9]+/)
    for error in validation.errors { print(error.key, error.message, error.data) }
    // color blank [:]
    // brimSize tooLow ["min": "5"]
    // end
    #expect(validation.errors.map(\.message) == ["blank", "tooLow"])
    #expect(validation.errors.map(\.data) == [[:], ["min": "5"]])
    // snippet: Sources/VarveStore/VarveStore.docc/Validating.md
    let strict = validation.custom {
      guard hat["color"] == "red" else { return [] }
      return [ValidationError(model: "Hat", key: "color", message: "tooBright")]
    }
    // end
    #expect(strict == validation)
    // snippet: Sources/VarveStore/VarveStore.docc/Validating.md
    try await store.write { tx in
      let unique = try await Validation(model: "Hat")
        .unique(["color": "red", "brim_size": 12], among: "Hat", in: tx)
      try unique.requireValid()
      try await tx.create("Hat", ["color": "red", "brim_size": 12])
    }
    // end
    #expect(try await store.count(Query("Hat")) == 1)
    // snippet: Sources/VarveStore/VarveStore.docc/Validating.md
    let own = Messages([
      "es": [
        "hat.errors.brim_size.too_low": #"debe medir al menos \(min)"#,
        "model.errors.blank": "no puede estar vacío",
      ]
    ])
    let messages = Messages.standard.merging(own)
    let texts = validation.errors.map { messages.text(for: $0, locale: "es-MX") }
    // no puede estar vacío; debe medir al menos 5
    // end
    #expect(texts == ["no puede estar vacío", "debe medir al menos 5"])
  }
}

import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Validation")
struct ValidationTests {
  let hat = Validation(model: "hat")

  private func error(
    _ key: String,
    _ message: String,
    _ data: [String: String] = [:]
  ) -> ValidationError {
    ValidationError(model: "hat", key: key, message: message, data: data)
  }

  @Test func `nothing checked, or nothing broken, is valid`() {
    let checked = hat.presence(of: "color", "red").bounds(of: "brimSize", 10, 5...15)
    #expect(hat.isValid && checked.isValid && checked.errors.isEmpty)
  }

  @Test func `each check returns a new validation; errors keep their order`() {
    let first = hat.presence(of: "color", "")
    let all = first.bounds(of: "brimSize", 5, 10...15)
      .adding(key: "owner", message: "strange", data: ["who": "me"])
    #expect(hat.isValid)
    #expect(first.errors == [error("color", "blank")])
    #expect(
      all.errors == [
        error("color", "blank"), error("brimSize", "tooLow", ["min": "10"]),
        error("owner", "strange", ["who": "me"]),
      ]
    )
    #expect(all.errors(for: "owner").map(\.message) == ["strange"])
    #expect(all.errors(for: "nobody").isEmpty)
  }

  @Test func `errors of two models differ`() {
    #expect(
      ValidationError(model: "hat", key: "k", message: "m")
        != ValidationError(model: "cap", key: "k", message: "m")
    )
  }

  @Test func `presence refuses nil and empty text; white space, zero and empty data are present`() {
    let refused = hat.presence(of: "a", nil).presence(of: "b", "").presence(
      of: "c",
      Value.string("")
    )
    .presence(of: "d", String?.none).presence(of: "e", Int?.none).presence(of: "f", "x".dropFirst())
    #expect(refused.errors.map(\.key) == ["a", "b", "c", "d", "e", "f"])
    #expect(refused.errors.allSatisfy { $0.message == "blank" && $0.data.isEmpty })
    let present = hat.presence(of: "a", " \n").presence(of: "b", 0).presence(
      of: "c",
      Value.data(Data())
    )
    .presence(of: "d", false).presence(of: "e", Value.array([])).presence(of: "f", Date.now)
    #expect(present.isValid)
  }

  @Test func `presence examines a value that is a text only at run time`() {
    func check<Wrapped>(_ value: Wrapped?) -> Bool { hat.presence(of: "k", value).isValid }
    #expect(!check("") && !check(Value.string("")) && !check(Value?.none))
    #expect(check("x") && check(0) && check(Value.int(0)))
  }

  @Test func `several values are reported by one error, of any models`() throws {
    try hat.requireValid()
    let both = hat.presence(of: "color", "").bounds(of: "brimSize", 4, min: 5, max: 15)
    let thrown = #expect(throws: VarveError.self) { try both.requireValid() }
    #expect(thrown?.code == .validationFailed)
    #expect(thrown?.violations == both.errors)
    #expect(
      thrown?.description
        == "validationFailed: hat is not valid: color must not be blank; brimSize must be at least 5"
        + " (at hat, color, brimSize). Correct them and write again."
    )
    let nested = both.adding([ValidationError(model: "shop", key: "name", message: "odd")])
    #expect(
      VarveError.validationFailed(nested.errors).message
        == "hat, shop are not valid: hat.color must not be blank; hat.brimSize must be at least 5; "
        + "shop.name is \"odd\""
    )
  }

  @Test func `an error is one line, however many violations it has`() {
    let long = String(repeating: "k", count: 100_000)
    var validation = Validation(model: long)
    for _ in 0..<1_000 { validation = validation.adding(key: long, message: long) }
    let failed = VarveError.validationFailed(validation.errors)
    #expect(failed.violations.count == 1_000)
    #expect(failed.description.utf8.count < 2_500)
    #expect(failed.message.contains("and 995 more"))
  }

  @Test func `errors survive being coded, and other errors have no violations`() throws {
    let original = error("brimSize", "tooLow", ["min": "5"])
    let data = try JSONEncoder().encode(original)
    #expect(try JSONDecoder().decode(ValidationError.self, from: data) == original)
    #expect(VarveError(.notFound, "nothing").violations.isEmpty)
  }

  @Test func `a custom check adds its errors, and its thrown errors are rethrown`() throws {
    let odd = hat.custom { [error("color", "odd"), error("size", "odd")] }.custom { [] }
    #expect(odd.errors.map(\.key) == ["color", "size"])
    #expect(throws: CancellationError.self) {
      try hat.custom { throw CancellationError() }
    }
  }
}

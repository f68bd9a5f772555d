#if YAML
import Foundation
import Testing
import VarveCore
import VarveStore
import VarveYAML

@Suite("Messages from YAML")
struct MessageFileTests {
  private let error = ValidationError(
    model: "hat",
    key: "brimSize",
    message: "tooLow",
    data: ["min": "5"]
  )

  @Test func `messages from YAML are those of the same JSON, nested as one likes`() throws {
    let messages = try Messages(
      yaml: """
        en:
          hat.errors:
            brim_size: {too_low: 'must be at least \\(min)'}
        es:
          hat: {errors: {too_low: es muy bajo}}
        """
    )
    #expect(messages.text(for: error) == "must be at least 5")
    #expect(messages.text(for: error, locale: "es-MX") == "must be at least 5")
    let general = ValidationError(model: "hat", key: "size", message: "tooLow")
    #expect(messages.text(for: general, locale: "es_MX") == "es muy bajo")
  }

  @Test func `are read from files of either format, and describe errors in them`() throws {
    let folder = FileManager.default.temporaryDirectory
    let yaml = folder.appending(path: "\(UUID().uuidString).yml")
    let json = folder.appending(path: "\(UUID().uuidString).json")
    defer { for file in [yaml, json] { try? FileManager.default.removeItem(at: file) } }
    try "hat.errors.too_low: low".write(to: yaml, atomically: true, encoding: .utf8)
    try #"{"en": {"hat.errors.too_low": "low"}}"#.write(
      to: json,
      atomically: true,
      encoding: .utf8
    )
    #expect(try Messages(fileOfTexts: yaml, locale: "en").text(for: error) == "low")
    #expect(try Messages(fileOfTexts: json).text(for: error) == "low")
    #expect(throws: VarveError.self) {
      try Messages(fileOfTexts: folder.appending(path: "there-is-none.yaml"))
    }
    for text in ["en: {a: 1}", "en: [", "en: {a: x, a: y}", "- a"] {
      #expect(throws: VarveError.self, "\(text)") { try Messages(yaml: text) }
    }
  }
}
#endif

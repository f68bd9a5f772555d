import Testing
import VarveCore
import VarveStore

@Suite("Messages")
struct MessagesTests {
  let tooLow = ValidationError(model: "hat", key: "brimSize", message: "tooLow", data: ["min": "5"])

  @Test
  func `the most special text wins: key of the model, model, key of any, any, the rule's name`() {
    var texts = [
      "hat.errors.brim_size.too_low": "1", "hat.errors.too_low": "2",
      "model.errors.brim_size.too_low": "3", "model.errors.too_low": "4",
    ]
    var found: [String] = []
    for key in texts.keys.sorted(by: {
      ($0.first == "h" ? 0 : 1, -$0.count) < ($1.first == "h" ? 0 : 1, -$1.count)
    }) {
      found.append(Messages(["en": texts]).text(for: tooLow))
      texts[key] = nil
    }
    found.append(Messages(["en": texts]).text(for: tooLow))
    #expect(found == ["1", "2", "3", "4", "tooLow"])
  }

  @Test(arguments: [
    ("es-MX", "es"), ("es_mx.UTF-8", "es"), ("ES", "es"), ("zh-Hant-TW", "zh-hant"),
    ("zh_HANT", "zh-hant"), ("zh-Hans", "zh"), ("fr", "en"), ("", "en"), ("-_-", "en"),
    ("en-GB", "gb"), ("en-AU", "en"),
  ]
  )
  func `each key is tried in the locale, its varieties and English, before the next`(
    locale: String,
    expected: String
  ) {
    let key = "hat.errors.too_low"
    let messages = Messages([
      "en": [key: "en"], "en_GB": [key: "gb"], "es": [key: "es"], "zh": [key: "zh"],
      "zh-HANT": [key: "zh-hant"], "fr": ["model.errors.too_low": "later key"],
    ])
    #expect(messages.text(for: tooLow, locale: locale) == expected)
  }

  @Test(arguments: [
    ("brimSize", "brim_size"), ("tooLow", "too_low"), ("URLPath", "url_path"), ("id2", "id2"),
    ("userID", "user_id"), ("BrimHat", "brim_hat"), ("html5Video", "html5_video"),
    ("brim_size", "brim_size"), ("brim_Size", "brim_size"), ("A", "a"), ("", ""),
    ("ÄpfelBirnen", "äpfel_birnen"), ("aB", "a_b"), ("ABc", "a_bc"), ("brim size", "brim size"),
    ("brimSize_color", "brim_size_color"),
  ]
  )
  func `names are underscored`(name: String, expected: String) {
    let error = ValidationError(model: name, key: name, message: name)
    let key = "\(expected).errors.\(expected).\(expected)"
    #expect(Messages(["en": [key: "found"]]).text(for: error) == "found")
  }

  @Test func `data is inserted once; unknown names stay`() {
    let error = ValidationError(
      model: "hat",
      key: "k",
      message: "m",
      data: ["min": #"\(max)"#, "max": #"\(min)"#, "": "empty", "a b": "spaced"]
    )
    func text(_ template: String) -> String {
      Messages(["en": ["model.errors.m": template]]).text(for: error)
    }
    #expect(text(#"\(min) to \(max)"#) == #"\(max) to \(min)"#)
    #expect(text(#"\(other), \(min"#) == #"\(other), \(min"#)
    #expect(text(#"\(\(min))"#) == #"\(\(max))"#)
    #expect(text(#"\()\(a b)é\(min)"#) == #"emptyspacedé\(max)"#)
    #expect(text(#"\\(min)"#) == #"\\(max)"#)
    #expect(text("") == "")
  }

  @Test func `a text of tokens without end takes no time`() {
    let opening = String(repeating: #"\("#, count: 200_000)
    let messages = Messages(["en": ["hat.errors.too_low": opening + ")"]])
    #expect(messages.text(for: tooLow) == opening + ")")
    let locale = String(repeating: "a-", count: 200_000)
    #expect(messages.text(for: tooLow, locale: locale) == opening + ")")
  }

  @Test func `english is built in for every rule, and the least preferred`() {
    let rules = ["blank", "tooLow", "tooHigh", "tooShort", "tooLong", "mismatch", "taken"]
    for rule in rules {
      let error = ValidationError(
        model: "hat",
        key: "k",
        message: rule,
        data: ["min": "1", "max": "9"]
      )
      let text = Messages.standard.text(for: error, locale: "de")
      #expect(text != rule && !text.contains(#"\("#))
    }
    let own = Messages.standard.merging(Messages(["de": ["model.errors.too_low": "zu klein"]]))
    #expect(own.text(for: tooLow, locale: "de-CH") == "zu klein")
    #expect(own.text(for: tooLow) == "must be at least 5")
  }

  @Test func `merging takes the last text of a key`() {
    let first = Messages(["en": ["model.errors.too_low": "1", "model.errors.blank": "b"]])
    let second = Messages(["EN": ["model.errors.too_low": "2"]])
    let merged = first.merging(second, Messages())
    #expect(merged.text(for: tooLow) == "2")
    #expect(merged.text(for: ValidationError(model: "m", key: "k", message: "blank")) == "b")
    #expect(second.merging(first).text(for: tooLow) == "1")
  }
}

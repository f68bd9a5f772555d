import VarveCore

/// Flattens nested dictionaries of texts.
struct MessageTree {
  /// The name of the source, for errors.
  let place: String?

  /// Returns the texts by locale and key.
  func texts(in tree: Value, locale: String?) throws -> [String: [String: String]] {
    if let locale { return [locale: try flattened(tree, under: [])] }
    var texts: [String: [String: String]] = [:]
    for (locale, branch) in try fields(of: tree, under: []) {
      texts[locale.text] = try flattened(branch, under: [locale.text])
    }
    return texts
  }

  /// Returns the texts of one locale by key: the names on the path, joined by dots.
  private func flattened(_ tree: Value, under locale: [String]) throws -> [String: String] {
    var texts: [String: String] = [:]
    // Not by recursion: the depth of untrusted input is unbounded.
    var branches = [(names: [String](), fields: try fields(of: tree, under: locale))]
    while let branch = branches.popLast() {
      for (key, value) in branch.fields {
        let names = branch.names + [key.text]
        guard let text = value.stringValue else {
          branches.append((names, try fields(of: value, under: locale + names)))
          continue
        }
        guard texts.updateValue(text, forKey: names.joined(separator: ".")) == nil else {
          throw error("a key is repeated, nested and with dots", under: locale + names)
        }
      }
    }
    return texts
  }

  private func fields(of value: Value, under names: [String]) throws -> [PropertyKey: Value] {
    if case .dictionary(let fields) = value {
      guard names.count <= Self.deepest else {
        throw error("names are nested more than \(Self.deepest) deep", under: [])
      }
      return fields
    }
    throw error(
      names.isEmpty ? "messages do not begin with names" : "the value is not a text",
      under: names
    )
  }

  private func error(_ message: String, under names: [String]) -> VarveError {
    let path = names.isEmpty ? nil : names.joined(separator: ".")
    let whole = [place, path].compactMap(\.self).joined(separator: ", ")
    return VarveError(
      .invalidArgument,
      message,
      at: whole.isEmpty ? nil : whole,
      remedy: "Write texts under names, and the names under a locale, as in "
        + #"{"en": {"hat": {"errors": {"too_low": "is too small"}}}}."#
    )
  }

  /// The maximum number of names in a key; real keys have four.
  private static let deepest = 64
}

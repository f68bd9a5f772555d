import VarveCore
import VarveJSON

/// A version as comma-separated values, of which nothing is lost: what happened, and the value with
/// its kind and its semantic type, a text as it is and all else as its JSON.
enum VersionColumns {
  static let headings = [
    "time", "change", "key", "kind", "type", "value", "author", "message", "commit",
  ]

  /// The cells of a version.
  static func cells(_ version: Version) -> [String] {
    let content = version.content
    return [DateWriter.exact(version.time), content.name, content.subject ?? ""] + value(content)
      + [version.author ?? "", version.commit.message ?? "", version.commit.id.hash.hexadecimal]
  }

  /// The cells of what no version says: only a change, and what it is about.
  static func cells(change: String, value: String) -> [String] {
    headings.map { $0 == "change" ? change : ($0 == "value" ? value : "") }
  }

  /// Kind, semantic type and value.
  private static func value(_ content: Cell.Content) -> [String] {
    switch content {
    case .value(_, .string(let text), let type): [Value.string(text).kind.name, type, text]
    case .value(_, let value, let type): [value.kind.name, type, value.json.text]
    case .life(.created(let type, _)), .life(.recreated(let type, _)): ["", "", type.text]
    case .add(_, let target, _, _), .remove(_, let target, _): ["", "", target.text]
    case .life, .removal, .collection: ["", "", ""]
    }
  }
}

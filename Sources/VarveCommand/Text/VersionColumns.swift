#if CommandLine
import VarveCore
import VarveJSON

/// Converts a version to comma-separated values without loss: the change, and the value with its
/// kind and its semantic type. A text is written as it is, any other value as JSON.
enum VersionColumns {
  static let headings = [
    "time", "change", "key", "kind", "type", "value", "author", "message", "commit",
  ]

  /// Returns the cells of a version.
  static func cells(_ version: Version) -> [String] {
    let content = version.content
    return [DateWriter.exact(version.time), content.name, content.subject ?? ""] + value(content)
      + [version.author ?? "", version.commit.message ?? "", version.commit.id.hash.hexadecimal]
  }

  /// Returns the cells of a row without a version: only a change and its subject.
  static func cells(change: String, value: String) -> [String] {
    headings.map { $0 == "change" ? change : ($0 == "value" ? value : "") }
  }

  /// Returns the kind, semantic type and value.
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
#endif

import Foundation
import VarveCore
import VarveStore

/// `interchange.import`: takes an interchange document over, given as `json`, or as `text`, which may
/// have trailing commas; how many records were, and what was skipped.
struct InterchangeImportOperation: StoreOperation {
  static let name = "interchange.import"
  private let text: String
  /// Whether places in the text mean something to whoever sent it.
  private let isText: Bool
  private let time: Date?

  init(_ fields: inout Fields) throws {
    let text = try fields.take("text")?.string()
    let document = fields.take("json")?.json
    guard (text == nil) != (document == nil) else {
      throw Misfit("an import has either \"json\" or \"text\"", at: fields.path)
    }
    self.text = text ?? document?.text ?? ""
    isText = text != nil
    time = try fields.take("at")?.date()
  }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    let report = try await store.load(
      DocumentSource(text: text),
      author: signature.author,
      message: signature.message,
      at: time
    )
    return [
      "imported": .count(report.importedCount),
      "skipped": .array(report.skipped.map { $0.json(withPosition: isText) }),
    ]
  }
}

/// `interchange.export`: an interchange document of a `form`, of the present or, for compact and
/// normalized ones, of the state `asOf`.
struct InterchangeExportOperation: StoreOperation {
  static let name = "interchange.export"
  private let form: InterchangeForm
  private let moment: Moment?

  init(_ fields: inout Fields) throws {
    form = try fields.choice("form")
    moment = try fields.take("asOf")?.moment()
  }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    let document = Gathered()
    if let moment {
      _ = try await store.asOf(moment: moment).read { try await $0.export(form, to: document.add) }
    } else {
      try await store.export(form, to: document.add)
    }
    return try JSONReader.read(bytes: document.bytes)
  }

  /// The parts of a document, put together.
  private final class Gathered {
    private(set) var bytes: [UInt8] = []

    func add(_ part: [UInt8]) { bytes += part }
  }
}

extension LoadReport.Skipped {
  /// The place and the reason for programs.
  package func json(withPosition: Bool = true) -> JSON {
    [
      "at": withPosition ? .string(position.description) : .null,
      "path": .string(pointer), "reason": .string(reason),
    ]
  }
}

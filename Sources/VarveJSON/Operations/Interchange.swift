import Foundation
import VarveCore
import VarveStore

/// `interchange.import`: imports an interchange document, given as `json`, or as `text`, which may
/// have trailing commas; returns the number of records imported, and the skipped parts.
struct InterchangeImportOperation: StoreOperation {
  static let name = "interchange.import"
  static let isSigned = true
  private let text: String
  /// Whether the document was given as text, in which positions are meaningful to the caller.
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
    let report = try await load(into: store, signature)
    return [
      "imported": .count(report.importedCount),
      "skipped": .array(report.skipped.map { $0.json(withPosition: isText) }),
    ]
  }

  private func load(into store: Store, _ signature: Signature) async throws -> LoadReport {
    do {
      return try await store.load(
        DocumentSource(text: text),
        author: signature.author,
        message: signature.message,
        at: time
      )
    } catch let error as VarveError where error.code == .damaged && error.isOfDocument {
      // The store is sound: what the caller gave is not.
      throw VarveError(
        .invalidInterchange,
        error.message,
        at: error.line == nil
          ? error.place : isText ? error.place.map { "document \($0)" } : "json",
        remedy: "Export the document again."
      )
    } catch let error as VarveError {
      // The operation has lines and columns too, so the error names the document as their source.
      guard error.line != nil, let place = error.place else { throw error }
      let inside = isText ? "document \(place)" : "json"
      throw error.located(at: inside)
    }
  }
}

/// `interchange.export`: returns an interchange document of a `form`, of the present or, in the
/// compact and normalized forms, of the state `asOf`.
struct InterchangeExportOperation: StoreOperation {
  static let name = "interchange.export"
  private let form: InterchangeForm
  private let moment: MomentName?

  init(_ fields: inout Fields) throws {
    form = try fields.choice("form")
    moment = try fields.take("asOf")?.moment()
  }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    let document = Gathered()
    if let moment = try await moment?.moment(in: store), moment != .now {
      _ = try await store.asOf(moment).read { try await $0.export(form, to: document.add) }
    } else {
      try await store.export(form, to: document.add)
    }
    return try JSONReader.read(bytes: document.bytes)
  }

  /// Collects the parts of a document.
  private final class Gathered {
    private(set) var bytes: [UInt8] = []
    private var size = ResultSize()

    func add(_ part: [UInt8]) throws {
      try size.add(part.count)
      bytes += part
    }
  }
}

extension VarveError {
  /// Whether the error concerns the text of a document, or a commit of it.
  fileprivate var isOfDocument: Bool { line != nil || place?.hasPrefix("commit ") ?? false }
}

extension LoadReport.Skipped {
  /// The place and the reason as JSON.
  package func json(withPosition: Bool = true) -> JSON {
    [
      "at": withPosition ? .string(position.description) : .null,
      "path": .string(pointer), "reason": .string(reason),
    ]
  }
}

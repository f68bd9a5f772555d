import Foundation
import VarveCore

/// How a command or an operation that failed says so.
package struct Failure {
  private let code: String
  private let message: String
  private var place: String?
  private let remedy: String?

  /// An error of the store, or of whatever is below it.
  package init(_ error: any Error) {
    if let error = error as? VarveError {
      self.init(
        code: error.code.rawValue,
        message: error.message,
        place: error.place,
        remedy: error.remedy
      )
    } else {
      self.init(
        code: VarveError.Code.inputOutput.rawValue,
        message: error.localizedDescription,
        place: (error as? CocoaError)?.filePath,
        remedy: nil
      )
    }
  }

  /// The same failure, seen from where it happened: a line of a file, say.
  package func within(_ outer: String) -> Failure {
    var failure = self
    failure.place = place.map { "\(outer), \($0)" } ?? outer
    return failure
  }

  /// A command line that cannot be understood.
  package init(usage message: String) {
    self.init(
      code: "usage",
      message: message,
      place: nil,
      remedy: "Add --help for the command's help."
    )
  }

  private init(code: String, message: String, place: String?, remedy: String?) {
    self.code = code
    self.message = message
    self.place = place
    self.remedy = remedy
  }

  /// One line for people: `varve: error: code: message (at place). remedy`.
  package var text: String {
    let end = ".!?".contains(message.last ?? " ") ? "" : "."
    return "varve: error: \(code): \(message)\(place.map { " (at \($0))" } ?? "")\(end)"
      + (remedy.map { " \($0)" } ?? "")
  }

  /// The same for programs.
  package var json: JSON {
    [
      "ok": false,
      "error": [
        "code": .string(code), "message": .string(message), "at": .optional(place),
        "remedy": .optional(remedy),
      ],
    ]
  }
}

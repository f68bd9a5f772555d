import Foundation
import VarveCore

/// The report of a command or an operation that failed.
package struct Failure {
  private let code: String
  private let message: String
  private var place: String?
  private var remedy: String?

  /// Creates the failure for an error.
  ///
  /// - Parameter saysCause: whether the message includes the cause in the words of another system,
  ///   which callers of a server do not learn.
  package init(_ error: any Error, saysCause: Bool = false) {
    if let error = error as? VarveError {
      let cause = saysCause ? error.cause.map { ": \($0)" } : nil
      self.init(
        code: error.code.rawValue,
        message: error.message + (cause ?? ""),
        place: error.place,
        remedy: error.remedy
      )
    } else if error is CancellationError {
      self.init(VarveError(.cancelled, "the operation was cancelled"))
    } else {
      let place = (error as? CocoaError)?.filePath ?? ""
      let known = VarveError.system(VarveError.systemNumber(of: error), "", at: place)
      self.init(
        VarveError(
          known.code,
          error.localizedDescription,
          at: place.isEmpty ? nil : place,
          remedy: known.code == .inputOutput ? nil : known.remedy
        )
      )
    }
  }

  /// Returns the same failure with an outer place, such as a line of a file.
  package func within(_ outer: String) -> Failure {
    var failure = self
    failure.place = place.map { "\(outer), \($0)" } ?? outer
    return failure
  }

  /// Returns the same failure with its remedy in other words.
  package func rewording(remedy reword: (String) -> String) -> Failure {
    var failure = self
    failure.remedy = remedy.map(reword)
    return failure
  }

  /// Creates the failure for an invalid command line.
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

  /// The failure as a line of text: `varve: error: code: message (at place). remedy`.
  package var text: String {
    let end = ".!?".contains(message.last ?? " ") ? "" : "."
    return "varve: error: \(code): \(message)\(place.map { " (at \($0))" } ?? "")\(end)"
      + (remedy.map { " \($0)" } ?? "")
  }

  /// The failure as JSON.
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

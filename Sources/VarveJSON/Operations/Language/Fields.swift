import Foundation
import VarveCore
import VarveStore

/// An error of an operation, and the part it is in.
struct Misfit: Error {
  let error: VarveError
  let path: [JSONStep]

  init(_ error: VarveError, at path: [JSONStep]) {
    self.error = error
    self.path = path
  }

  /// Creates the error of a malformed operation.
  init(_ message: String, at path: [JSONStep], remedy: String? = nil) {
    self.init(VarveError(.invalidOperation, message, remedy: remedy), at: path)
  }
}

/// A part of an operation, and its path.
struct Part {
  let json: JSON
  let path: [JSONStep]

  /// Runs a conversion, and adds the path to its error.
  func convert<Result>(_ body: (JSON) throws -> Result) throws -> Result {
    do {
      return try body(json)
    } catch let error as VarveError {
      throw Misfit(error, at: path)
    }
  }

  func misfit(_ wanted: String) -> Misfit {
    Misfit("\(wanted) is expected, not \(json.kindName)", at: path)
  }

  func string() throws -> String {
    guard case .string(let text) = json else { throw misfit("a string") }
    return text
  }

  func bool() throws -> Bool {
    guard case .bool(let value) = json else { throw misfit("a boolean") }
    return value
  }

  /// Reads a text that is a name, an author or a message.
  func name() throws -> String {
    let text = try string()
    try Part.checkLength(text, at: path)
    return text
  }

  /// Throws if a text is too long for a name.
  static func checkLength(_ text: String, at path: [JSONStep]) throws {
    let count = text.utf8.count
    guard count > Names.maximumByteCount else { return }
    throw Misfit(
      VarveError(
        .invalidArgument,
        "a name or text has \(count) bytes",
        remedy: "Use at most \(Names.maximumByteCount) bytes."
      ),
      at: path
    )
  }

  func count() throws -> Int {
    guard case .integer(let value) = json else { throw misfit("an integer from 0") }
    guard value >= 0, let count = Int(exactly: value) else {
      throw Misfit("an integer from 0 is expected, not \(value)", at: path)
    }
    return count
  }

  func date() throws -> Date {
    let text: JSON
    if case .string = json { text = ["date": json] } else { text = json }
    guard case .date(let date)? = try? Value(json: text) else {
      throw Misfit("a date is expected", at: path, remedy: "Write it as \(DateReader.forms).")
    }
    return date
  }

  func id() throws -> EntityID {
    let text = try string()
    return try convert { _ in try EntityID(text) }
  }

  func elements() throws -> [Part] {
    guard case .array(let elements) = json else { throw misfit("an array") }
    return elements.enumerated().map { Part(json: $1, path: path + [.index($0)]) }
  }

  func members() throws -> [(name: String, field: Part)] {
    guard case .object(let members) = json else { throw misfit("an object") }
    return members.map { ($0.name, Part(json: $0.value, path: path + [.name($0.name)])) }
  }
}

/// The members of an object, taken one by one; those that remain are an error.
struct Fields {
  let path: [JSONStep]
  private let what: String
  private var rest: [(name: String, field: Part)]

  /// Creates the fields of an object.
  ///
  /// - Parameter what: the name of the object in messages.
  init(_ field: Part, of what: String) throws {
    path = field.path
    self.what = what
    rest = try field.members()
  }

  /// Takes an optional member.
  mutating func take(_ name: String) -> Part? {
    guard let index = rest.firstIndex(where: { $0.name == name }) else { return nil }
    return rest.remove(at: index).field
  }

  /// Takes a required member.
  mutating func need(_ name: String) throws -> Part {
    if let field = take(name) { return field }
    throw Misfit("\(what) has no \"\(name)\"", at: path)
  }

  /// Takes all members that remain.
  mutating func takeRest() -> [(name: String, field: Part)] {
    defer { rest = [] }
    return rest
  }

  /// Throws if members remain.
  func finish() throws {
    guard let unknown = rest.first else { return }
    throw Misfit("\(what) has no field \"\(unknown.name)\"", at: unknown.field.path)
  }
}

extension Fields {
  mutating func flag(_ name: String, default standard: Bool = false) throws -> Bool {
    try take(name)?.bool() ?? standard
  }

  /// Reads a choice among the names of an enumeration.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String,
    default standard: Choice? = nil
  ) throws -> Choice where Choice.RawValue == String {
    if let standard, take(name).map({ putBack(name, $0) }) == nil { return standard }
    let field = try need(name)
    if let choice = Choice(rawValue: try field.string()) { return choice }
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw Misfit("one of \(names) is expected", at: field.path)
  }

  private mutating func putBack(_ name: String, _ field: Part) { rest.append((name, field)) }
}

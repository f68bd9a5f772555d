#if CommandLine
import ArgumentParser
import VarveStore

/// Whether the names that a command reads must exist.
struct NamingOptions: ParsableArguments {
  @Flag(help: "Fail if no entity has ever had the type or a key.")
  var strict = false

  /// Returns the notes about names, unless names must exist.
  ///
  /// - Throws: ``VarveError`` with code `notFound` for the first of them if names must exist.
  func notes(on names: ReadNames, in state: some Reading, at place: String) async throws
    -> [NameNote]
  {
    try Self.notes(await names.notes(in: state), isStrict: strict, at: place)
  }

  /// Returns notes, or throws the first if names must exist.
  static func notes(_ notes: [NameNote], isStrict: Bool, at place: String) throws -> [NameNote] {
    if isStrict, let first = notes.first { throw first.error(at: place) }
    return notes
  }
}
#endif

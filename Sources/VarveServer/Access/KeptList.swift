#if Server
import Foundation
import VarveCore
import VarveJSON

/// A list of JSON objects in a file of the server's folder, or at the home that its spaces share. A
/// running server notices changes, whichever process makes them.
///
/// It is no actor and belongs to one.
final class KeptList<Entry: Sendable & Hashable> {
  /// Where a list is.
  enum Place: Sendable {
    /// A file, which need not exist, with one object a line.
    case file(String)
    /// The notes of a kind. A change by another host is noticed within about a second. While the
    /// home cannot be reached, what was known last stays.
    case home(any NotedHome, kind: String)
  }

  private let place: Place
  private let decode: @Sendable (JSON) -> Entry?
  /// What an entry is called in errors.
  private let noun: String
  private(set) var entries: [Entry] = []
  /// How often the list was found changed.
  private(set) var changeCount = 0
  /// What cannot be read of the list; nil if everything can. The rest of the list counts.
  private(set) var fault: VarveError?
  private var version: FileVersion?
  /// The look at the home that is under way.
  private var look: Task<Found, any Error>?
  /// The time of the last look at the home.
  private var lookTime: ContinuousClock.Instant?

  /// The time for which the home's list is taken as known.
  private static var homeInterval: Duration { .seconds(1) }

  init(_ place: Place, of noun: String, decode: @escaping @Sendable (JSON) -> Entry?) {
    self.place = place
    self.noun = noun
    self.decode = decode
  }

  /// The entries that can be read.
  private struct Found: Sendable {
    var entries: [Entry] = []
    var fault: VarveError?
    /// The lines of a file that cannot be read. They are kept.
    var unreadable: [Data] = []
  }

  /// Looks whether the list has changed. Returns whether it has.
  ///
  /// An entry that cannot be read counts as none: the others, also those that end, do not wait for
  /// someone to correct it. If the whole list cannot be read, the previous one stays.
  func refresh() async throws -> Bool {
    switch place {
    case .file(let path):
      let present = FileVersion(path)
      guard present != version else { return false }
      do {
        let isNew = set(try Self.find(in: path, of: noun, decode))
        version = present
        return isNew
      } catch let error as VarveError {
        fault = error
        guard changeCount > 0 else { throw error }
        return false
      }
    case .home(let home, let kind):
      return try await refresh(from: home, kind)
    }
  }

  /// Makes the next look at a home happen at once.
  func forget() { lookTime = nil }

  private func set(_ found: Found) -> Bool {
    fault = found.fault
    guard found.entries != entries || changeCount == 0 else { return false }
    entries = found.entries
    changeCount += 1
    return true
  }

  private func refresh(from home: any NotedHome, _ kind: String) async throws -> Bool {
    let age = lookTime.map { ContinuousClock.now - $0 }
    guard age.map({ $0 >= Self.homeInterval }) ?? true else { return false }
    let task =
      look
      ?? Task { [noun, decode] in try await Self.find(in: home, kind, of: noun, decode) }
    look = task
    defer { if look == task { look = nil } }
    do {
      let read = try await task.value
      lookTime = .now
      return set(read)
    } catch  where changeCount > 0 {
      lookTime = .now
      return false
    }
  }

  // MARK: Reading

  /// Returns the entries of a file; none if there is no file.
  ///
  /// - Throws: `VarveError`: `invalidJSON` if one of them cannot be read, `inputOutput`.
  static func read(
    _ path: String,
    of noun: String,
    _ decode: (JSON) -> Entry?
  ) throws -> [Entry] {
    let found = try find(in: path, of: noun, decode)
    if let fault = found.fault { throw fault }
    return found.entries
  }

  /// Returns the entries of a file that can be read, and why others cannot.
  ///
  /// - Throws: `VarveError` with code `inputOutput`.
  static func readable(
    _ path: String,
    of noun: String,
    _ decode: (JSON) -> Entry?
  ) throws -> (entries: [Entry], fault: VarveError?) {
    let found = try find(in: path, of: noun, decode)
    return (found.entries, found.fault)
  }

  private static func find(
    in path: String,
    of noun: String,
    _ decode: (JSON) -> Entry?
  ) throws -> Found {
    guard FileManager.default.fileExists(atPath: path) else { return Found() }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw VarveError(.inputOutput, "the \(noun)s cannot be read", at: path)
    }
    var found = Found()
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    where !line.allSatisfy({ $0 == 0x0D || $0 == 0x20 }) {
      if let json = try? JSONReader.read(bytes: Array(line)), let entry = decode(json) {
        found.entries.append(entry)
      } else {
        found.unreadable.append(Data(line))
        found.fault =
          found.fault
          ?? VarveError(
            .invalidJSON,
            "a line of the \(noun)s cannot be read",
            at: "\(path), line \(index + 1)",
            remedy: "Remove the line, and create another \(noun) for its bearer."
          )
      }
    }
    return found
  }

  /// Returns the entries of a home.
  ///
  /// - Throws: `VarveError`: `invalidJSON` if one of them cannot be read, `inputOutput`.
  static func read(
    _ home: any NotedHome,
    _ kind: String,
    of noun: String,
    _ decode: (JSON) -> Entry?
  ) async throws -> [Entry] {
    let found = try await find(in: home, kind, of: noun, decode)
    if let fault = found.fault { throw fault }
    return found.entries
  }

  private static func find(
    in home: any NotedHome,
    _ kind: String,
    of noun: String,
    _ decode: (JSON) -> Entry?
  ) async throws -> Found {
    let (entries, fault) = try await readable(home, kind, of: noun, decode)
    return Found(entries: entries, fault: fault)
  }

  /// Returns the entries of a home that can be read, and why others cannot.
  ///
  /// - Throws: `VarveError` with code `inputOutput`.
  static func readable(
    _ home: any NotedHome,
    _ kind: String,
    of noun: String,
    _ decode: (JSON) -> Entry?
  ) async throws -> (entries: [Entry], fault: VarveError?) {
    var entries: [Entry] = []
    var fault: VarveError?
    for note in try await home.notes(kind) {
      if let json = try? JSONReader.read(note.text), let entry = decode(json) {
        entries.append(entry)
      } else if fault == nil {
        fault = VarveError(
          .invalidJSON,
          "the \(noun) \"\(note.name)\" of the home cannot be read",
          remedy: "Revoke it, and create another \(noun) for its bearer."
        )
      }
    }
    return (entries, fault)
  }

  // MARK: Changing

  /// Replaces the entries of a file by those that a closure returns; nil for no change. Each of
  /// several processes that change it at once sees the changes of the ones before it.
  ///
  /// Lines that cannot be read are kept, ahead of the others, so that something can be revoked before the
  /// file is repaired.
  static func change(
    _ path: String,
    of noun: String,
    _ decode: (JSON) -> Entry?,
    _ encode: (Entry) -> JSON,
    _ body: ([Entry]) throws -> [Entry]?
  ) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try FolderLock.hold(folder, toChange: "the \(noun)s") {
      let found = try find(in: path, of: noun, decode)
      guard let entries = try body(found.entries) else { return }
      let lines = found.unreadable + entries.map { Data(encode($0).text.utf8) }
      try WholeFile.write(lines.flatMap { Array($0) + [0x0A] }, to: path)
    }
  }
}
#endif

#if CommandLine
import ArgumentParser
import Foundation
import Synchronization
import VarveCore
import VarveStore

/// The keys of the stores that a command opens. They come from files, from the environment or from
/// the terminal, and never from arguments, which other users of the computer can read.
enum StoreKeys {
  /// Which stores are opened with the key that is given.
  enum Use {
    /// The store that the command is about, whatever it is.
    case always
    /// One of several stores: a plain one is opened without the key.
    case unlessPlain
    /// A store that has a key of its own.
    case other(file: String)
  }

  private struct State {
    var keyFile: String?
    /// The key that was typed.
    var typed: StoreKey?
  }

  private static let state = Mutex(State())

  /// The file that the arguments name.
  static var keyFile: String? {
    get { state.withLock { $0.keyFile } }
    set { state.withLock { $0.keyFile = newValue } }
  }

  /// Returns the key with which a store is to be opened; nil for none.
  static func key(for location: Store.Location, _ use: Use) throws -> StoreKey? {
    guard case .file(let path) = location else { return nil }
    switch use {
    case .other(let file): return try key(in: file)
    case .unlessPlain where isPlain(path): return nil
    case .always, .unlessPlain: break
    }
    if let given = try given() { return given }
    guard Store.seemsEncrypted(at: path) else { return nil }
    if let typed = state.withLock({ $0.typed }) { return typed }
    guard let text = try SecretPrompt.ask("Key of \(path.printable): ") else { return nil }
    let typed = try StoreKey(text: text)
    state.withLock { $0.typed = typed }
    return typed
  }

  /// Returns the key of the file that the arguments name, or of the environment; nil if there is none.
  static func given() throws -> StoreKey? {
    if let keyFile { return try key(in: keyFile) }
    return try environment("VARVE_KEY")
  }

  /// Asks on the terminal for the key of a new store, unless one is given.
  ///
  /// - Throws: ``UsageError`` if there is none, and nobody to ask.
  static func makeKey() throws {
    guard try given() == nil else { return }
    let key = try asked("New key: ", "VARVE_KEY, or in a file named by --key-file")
    state.withLock { $0.typed = key }
  }

  /// The key that was typed for a new store.
  static var typed: StoreKey? { state.withLock { $0.typed } }

  /// Returns the new key of a store or a copy.
  ///
  /// - Throws: ``UsageError`` if there is none, and nobody to ask.
  static func newKey(_ option: NewKeyOption) throws -> StoreKey {
    if let file = option.newKeyFile { return try key(in: file) }
    if let key = try environment("VARVE_NEW_KEY") { return key }
    return try asked("New key: ", "VARVE_NEW_KEY, or in a file named by --new-key-file")
  }

  private static func asked(_ prompt: String, _ places: String) throws -> StoreKey {
    guard let text = try SecretPrompt.ask(prompt) else {
      throw UsageError("Give the new key in \(places).")
    }
    guard try SecretPrompt.ask("The same again: ") == text else {
      throw UsageError("The two keys differ.")
    }
    return try StoreKey(text: text)
  }

  private static func environment(_ name: String) throws -> StoreKey? {
    guard let text = ProcessInfo.processInfo.environment[name] else { return nil }
    guard !text.isEmpty else {
      throw VarveError(
        .invalidArgument,
        "\(name) is empty",
        at: name,
        remedy: "Set it to the key, or unset it."
      )
    }
    return try StoreKey(text: text)
  }

  /// Returns the key that a file holds, without the end of its line.
  private static func key(in file: String) throws -> StoreKey {
    guard let bytes = FileManager.default.contents(atPath: file) else {
      throw VarveError(
        .inputOutput,
        "the key cannot be read",
        at: file,
        remedy: "Name a file that holds the key."
      )
    }
    guard let text = String(bytes: bytes, encoding: .utf8).map(withoutLineEnd), !text.isEmpty,
      !text.utf8.contains(where: { $0 < 0x20 })
    else {
      throw VarveError(
        .invalidArgument,
        "the file does not hold one key",
        at: file,
        remedy: "Write a passphrase alone into the file, or 64 hexadecimal digits as x'…'."
      )
    }
    return try StoreKey(text: text)
  }

  private static func withoutLineEnd(_ text: String) -> String {
    guard text.utf8.last == UInt8(ascii: "\n") else { return text }
    let line = text.utf8.dropLast()
    return String(line.last == UInt8(ascii: "\r") ? line.dropLast() : line) ?? text
  }

  private static func isPlain(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path) && !Store.seemsEncrypted(at: path)
  }
}
#endif

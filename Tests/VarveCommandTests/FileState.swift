#if CommandLine && Server && YAML
/// A state that the file of a store may be in when a command is run.
enum FileState: String, CaseIterable, Sendable {
  case missing
  case empty
  case garbage
  case folder
  case linked
  case symbolicLink
  case openUnderAnotherName
  case moved
  case replaced
  case readOnlyFile
  case readOnlyFolder
  case readOnlySystem
  case unreadable
  case othersLog
  case sealedWithoutKeys

  /// What a command may do with a store.
  enum Use: Sendable {
    case read
    /// Opens it for writing, and may have nothing to write.
    case open
    case write
    /// Writes to it, and creates it if it is missing.
    case make
    /// Opens it, and creates it if it is missing.
    case start
  }

  /// The lines of `bash` that bring `store`, a copy of `$whole`, into the state. `run` runs the
  /// program as the user of the state.
  var preparation: String {
    switch self {
    case .missing: "run() { \"$varve\" \"$@\"; }"
    case .empty: ": > store"
    case .garbage: "echo 'not a store, but a text that is longer than a header' > store"
    case .folder: "mkdir store"
    case .linked: "cp \"$whole\" store; ln store second"
    case .symbolicLink: "mkdir elsewhere; cp \"$whole\" elsewhere/file; ln -s elsewhere/file store"
    case .openUnderAnotherName:
      """
      cp "$whole" second; ln second store; mkfifo lines
      "$varve" batch second lines > answers & exec 3> lines
      echo '{"op":"set","id":"hat-1","set":{"color":"black"}}' >&3
      until [ -s answers ]; do sleep 0.02; done
      """
    case .moved: "\(Self.killing("former")); ln former store"
    case .replaced: "\(Self.killing("store")); cp \"$whole\" new; mv new store"
    case .readOnlyFile: "cp \"$whole\" store; chmod 444 store; chmod 777 .; \(Self.another)"
    case .readOnlyFolder: "cp \"$whole\" store; chmod 444 store; chmod 555 .; \(Self.another)"
    case .readOnlySystem:
      """
      mount -t tmpfs -o size=4m none . && cd "$PWD" || exit 99
      cp "$whole" store; mount -o remount,ro none .
      """
    case .unreadable: "cp \"$whole\" store; chmod 600 store; chmod 755 .; \(Self.another)"
    case .othersLog:
      """
      cp "$whole" store; : > store-wal; : > store-shm; chmod 644 store-wal store-shm
      chmod 666 store; chmod 777 .; \(Self.another)
      """
    case .sealedWithoutKeys:
      """
      "$varve" space seal store --keys ../keys > /dev/null; rm -r ../keys
      export VARVE_KEYS=$PWD/none
      """
    }
  }

  /// A process is killed while it has a store open, whose log stays.
  private static func killing(_ store: String) -> String {
    """
    cp "$whole" \(store); mkfifo lines; "$varve" batch \(store) lines > answers & exec 3> lines
    echo '{"op":"set","id":"hat-1","set":{"color":"black"}}' >&3
    until [ -s answers ]; do sleep 0.02; done
    kill -9 $!; wait $! 2> /dev/null
    """
  }

  /// The program is run by a user who is not root.
  private static let another = """
    [ "$(id -u)" = 0 ] || exit 99
    run() { setpriv --reuid=65534 --regid=65534 --clear-groups "$varve" "$@"; }
    run --version > /dev/null 2>&1 || exit 99
    """

  /// The code of the error with which a use is refused; nil if it is not.
  func refusal(of use: Use) -> String? {
    switch self {
    case .missing: [.make, .start].contains(use) ? nil : "notFound"
    case .empty, .garbage, .folder: "notAStore"
    case .linked, .symbolicLink: nil
    case .openUnderAnotherName: "busy"
    case .moved, .replaced: "inputOutput"
    case .readOnlyFile, .readOnlyFolder, .readOnlySystem, .othersLog:
      [.read, .open, .start].contains(use) ? nil : "readOnly"
    case .unreadable: "inputOutput"
    case .sealedWithoutKeys: "keyMissing"
    }
  }

  /// Whether a refused command must leave the folder as it was.
  var staysAsItIs: Bool {
    switch self {
    // The files beside an open store come and go.
    case .openUnderAnotherName: false
    default: true
    }
  }
}
#endif

#if Client || canImport(Darwin)
import Foundation
import Varve
import VarveClient
import VarveSync

/// An observation in the field.
@Entity struct Note {
  var id = Identifier<Note>()
  @Field(.required) var text: String
  var place: String?
  var seenAt: Date?
}

/// A notebook that works without a network, and synchronises when there is one.
///
/// ```sh
/// field-notebook ana.varve add "two herons" pond
/// field-notebook ana.varve list
/// field-notebook ana.varve sync http://127.0.0.1:8642/notes
/// ```
@main
struct FieldNotebook {
  let store: Store

  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count >= 2 else {
      print("usage: field-notebook FILE add TEXT [PLACE] | list | edit ID TEXT | sync URL")
      exit(64)
    }
    do {
      let notebook = FieldNotebook(store: try await Store.open(words[0]))
      try await notebook.run(words[1], Array(words.dropFirst(2)))
      try await notebook.store.close()
    } catch {
      print("\(error)")
      exit(1)
    }
  }

  func run(_ command: String, _ words: [String]) async throws {
    switch (command, words.count) {
    case ("add", 1...2): try await add(words[0], place: words.count > 1 ? words[1] : nil)
    case ("list", 0): try await list()
    case ("edit", 2): try await edit(words[0], words[1])
    case ("sync", 1): try await sync(words[0])
    default: print("unknown command")
    }
  }

  /// A note is in the file once this returns, with or without a network.
  private func add(_ text: String, place: String?) async throws {
    let note = try await store.save(Note(text: text, place: place, seenAt: Date()))
    print("noted \(note.id)")
  }

  private func list() async throws {
    for note in try await store.fetch(Note.all.order(by: \.seenAt)) {
      print("\(note.id)  \(note.text)\(note.place.map { " (\($0))" } ?? "")")
    }
  }

  /// The former text stays in the history.
  private func edit(_ id: String, _ text: String) async throws {
    var note = try await store.require(Identifier<Note>(try EntityID(id)))
    note.text = text
    try await store.save(note)
  }

  /// Sends what was noted, and fetches what others noted. Without a network, nothing is lost: the
  /// next time sends it.
  private func sync(_ url: String) async throws {
    let token = ProcessInfo.processInfo.environment["VARVE_TOKEN"]
    let report = try await store.sync(with: RemoteSpace(url, token: token))
    print("sent \(report.sentCount), received \(report.receivedCount)")
  }
}
#endif

#if Server
import Foundation
import VarveJSON

/// Keeps the paths of the server's files out of what it says of an error: callers know spaces.
struct FileCover: Sendable {
  /// The folders of the server's files, each with a slash at the end.
  private let folders: [String]

  init(_ spaces: SpaceDirectory) {
    var paths = [FileManager.default.temporaryDirectory.path]
    if let folder = spaces.folder {
      paths += [folder, URL(fileURLWithPath: folder).resolvingSymlinksInPath().path]
    }
    folders = Set(paths).map { $0.hasSuffix("/") ? $0 : "\($0)/" }
      // A folder in another one of them comes before it.
      .sorted { $0.utf8.count > $1.utf8.count }
  }

  /// Returns a problem without paths.
  ///
  /// - Parameter space: the space that the request is about.
  func covered(_ problem: Problem, in space: String?) -> Problem {
    var problem = problem
    problem.place = problem.place.map { covered($0, in: space) }
    problem.message = covered(problem.message, in: space)
    return problem
  }

  /// Returns the answer of an operation without paths in its error.
  func covered(_ answer: JSON, in space: String?) -> JSON {
    guard case .object(let members)? = answer["error"] else { return answer }
    let error = members.map { member -> JSON.Member in
      guard ["at", "message"].contains(member.name), case .string(let text) = member.value else {
        return member
      }
      return JSON.Member(name: member.name, value: .string(covered(text, in: space)))
    }
    return ["ok": false, "error": .object(error)]
  }

  private func covered(_ text: String, in space: String?) -> String {
    let name = space.map { "space \"\($0)\"" } ?? "a file of the server"
    return folders.reduce(text) { text, folder in
      // Most texts have none.
      guard text.contains(folder) else { return text }
      var parts = text.components(separatedBy: folder)
      for index in parts.indices.dropFirst() {
        let rest = parts[index].drop { !" ,;:()\"".contains($0) }
        parts[index] = name + rest
      }
      return parts.joined()
    }
  }
}
#endif

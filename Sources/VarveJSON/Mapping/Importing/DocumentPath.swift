/// The path to a part of a document, stored as steps, so that it costs little unless it is
/// reported.
final class DocumentPath {
  private enum Step {
    case root(String)
    case name([String])
    case index(Int)
  }

  private let outer: DocumentPath?
  private let step: Step

  /// Creates a path that begins with a JSON pointer.
  init(_ pointer: String) {
    outer = nil
    step = .root(pointer)
  }

  private init(_ outer: DocumentPath, _ step: Step) {
    self.outer = outer
    self.step = step
  }

  /// Whether the path is the place of a root.
  var isRoot: Bool { outer == nil }

  func element(_ index: Int) -> DocumentPath { DocumentPath(self, .index(index)) }

  func member(_ path: KeyPathInJSON) -> DocumentPath { DocumentPath(self, .name(path.names)) }

  func descendant(_ steps: [JSONStep]) -> DocumentPath {
    steps.reduce(self) { path, step in
      switch step {
      case .name(let name): DocumentPath(path, .name([name]))
      case .index(let index): path.element(index)
      }
    }
  }

  /// The JSON pointer (RFC 6901).
  var pointer: String {
    var parts: [String] = []
    var current: DocumentPath? = self
    while let path = current {
      switch path.step {
      case .root(let pointer): parts.append(pointer)
      case .name(let names): parts.append(names.map { JSONPointer.text($0) }.joined())
      case .index(let index): parts.append("/\(index)")
      }
      current = path.outer
    }
    return parts.reversed().joined()
  }
}

import VarveCore

/// Gives what roots name in a document, part after part.
protocol ImportSource {
  /// How many top-level objects there are, where that is known before they are read.
  var objectCount: Int? { get }
  /// How many bytes were read.
  var byteCount: Int { get }
  /// Of how many, where that is known.
  var totalByteCount: Int? { get }

  /// Hands over what each root names; `begin` is told of each root that is there, before its pieces.
  func forEachPiece(
    _ begin: (Mappings.Root) throws -> Void,
    _ body: (ImportPiece, Mappings.Root) async throws -> Void
  ) async throws
}

/// A piece of what a root names, not read yet.
struct ImportPiece: Sendable {
  enum Content: Sendable {
    /// Elements of an array, as text.
    case text(JSONStream.Elements)
    /// Elements of an array.
    case elements(ArraySlice<JSON>)
    /// What stands there, where it is no array.
    case whole(JSON)
  }

  let content: Content
  /// Where the root stands.
  let pointer: String
  /// Whether it is the root's first.
  let isFirst: Bool

  /// How many objects in memory make a piece.
  static let objectCount = 512
  /// How many bytes of text do.
  static let byteCount = 1 << 20
}

/// A document in memory.
struct ValueSource: ImportSource {
  private let found: [(root: Mappings.Root, json: JSON)]

  init(_ document: JSON, _ roots: [Mappings.Root]) throws {
    found = try roots.compactMap { root in
      try JSONPointer.find(root.pointer, in: document).map { (root, $0) }
    }
  }

  var byteCount: Int { 0 }
  var totalByteCount: Int? { nil }

  var objectCount: Int? {
    found.reduce(0) { count, part in
      switch part.json {
      case .null: count
      case .array(let elements): count + elements.count
      default: count + 1
      }
    }
  }

  func forEachPiece(
    _ begin: (Mappings.Root) throws -> Void,
    _ body: (ImportPiece, Mappings.Root) async throws -> Void
  ) async throws {
    for (root, json) in found {
      func piece(_ content: ImportPiece.Content, isFirst: Bool) -> ImportPiece {
        ImportPiece(content: content, pointer: root.pointer, isFirst: isFirst)
      }
      switch json {
      case .null: continue
      case .array(let elements):
        try begin(root)
        for start in stride(from: 0, to: elements.count, by: ImportPiece.objectCount) {
          let end = min(start + ImportPiece.objectCount, elements.count)
          try await body(piece(.elements(elements[start..<end]), isFirst: start == 0), root)
        }
      default:
        try begin(root)
        try await body(piece(.whole(json), isFirst: true), root)
      }
    }
  }
}

/// A document that is read as it comes.
final class StreamSource: ImportSource {
  private let stream: JSONStream
  private let roots: [(root: Mappings.Root, steps: [String])]
  let totalByteCount: Int?
  private let parser = FastParser()

  /// The largest object, in bytes.
  private static let maximumByteCount = 768 << 20

  init(_ document: DocumentSource, _ roots: [Mappings.Root]) throws {
    stream = JSONStream(document)
    totalByteCount = document.byteCount
    self.roots = try roots.map { ($0, try JSONPointer.steps($0.pointer)) }
  }

  var objectCount: Int? { nil }
  var byteCount: Int { stream.byteOffset }

  func forEachPiece(
    _ begin: (Mappings.Root) throws -> Void,
    _ body: (ImportPiece, Mappings.Root) async throws -> Void
  ) async throws {
    try stream.begin()
    try await walk([], begin, body)
    try stream.end()
  }

  /// Reads the value that comes next, which stands at a way into the document.
  private func walk(
    _ way: [String],
    _ begin: (Mappings.Root) throws -> Void,
    _ body: (ImportPiece, Mappings.Root) async throws -> Void
  ) async throws {
    if let root = roots.first(where: { $0.steps == way })?.root {
      return try await take(root, begin, body)
    }
    guard roots.contains(where: { $0.steps.starts(with: way) }) else { return try pass() }
    if try stream.enterObject() {
      while let name = try stream.nextName() { try await walk(way + [name], begin, body) }
    } else if try stream.enterArray() {
      var index = 0
      while try stream.nextElement() {
        try await walk(way + [String(index)], begin, body)
        index += 1
      }
    } else {
      try pass()
    }
  }

  /// Passes over a value nobody wants, a piece at a time, and has each piece be JSON.
  private func pass() throws {
    if let piece = try stream.piece(atMost: ImportPiece.byteCount) { return try prove(piece) }
    if try stream.enterArray() {
      while let elements = try stream.elements(
        atLeast: ImportPiece.byteCount,
        atMost: Self.maximumByteCount
      ) {
        try prove(elements)
      }
    } else if try stream.enterObject() {
      while try stream.nextName() != nil { try pass() }
    } else {
      _ = try value()
    }
  }

  private func prove(_ elements: JSONStream.Elements) throws {
    if elements.bytes.withUnsafeBytes(parser.accepts) { return }
    try elements.read { _ in }
  }

  private func take(
    _ root: Mappings.Root,
    _ begin: (Mappings.Root) throws -> Void,
    _ body: (ImportPiece, Mappings.Root) async throws -> Void
  ) async throws {
    guard try stream.enterArray() else {
      let json = try value()
      if json == .null { return }
      try begin(root)
      let piece = ImportPiece(content: .whole(json), pointer: root.pointer, isFirst: true)
      return try await body(piece, root)
    }
    try begin(root)
    var isFirst = true
    while let elements = try stream.elements(
      atLeast: ImportPiece.byteCount,
      atMost: Self.maximumByteCount
    ) {
      let content = ImportPiece.Content.text(elements)
      try await body(
        ImportPiece(content: content, pointer: root.pointer, isFirst: isFirst),
        root
      )
      isFirst = false
    }
  }

  private func value() throws -> JSON {
    let place = try stream.nextPosition()
    if let piece = try stream.value(atMost: Self.maximumByteCount) { return piece.json }
    throw stream.failure("a value is longer than \(Self.maximumByteCount) bytes", at: place)
  }
}

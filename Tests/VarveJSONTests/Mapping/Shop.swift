import VarveCore
import VarveJSON
import VarveStore

/// Mappings the tests share: books with authors, a publisher and chapters.
enum Shop {
  static let mappings: Mappings = {
    let book = Mapping("Book", identifiedBy: "isbn", types: ["pages": .int]) {
      Attribute("isbn")
      Attribute("details.title", to: "title")
      Attribute("details.pages", to: "pages")
      Attribute("published", .date("yyyy-MM-dd"))
      ToOne("publisher", of: "Publisher")
      ToMany(ids: "authors", of: "Author", as: .set)
      ToMany("chapters", of: "Chapter")
    }
    let author = Mapping("Author", identifiedBy: "number") {
      Attribute("number")
      Attribute("name")
    }
    let publisher = Mapping("Publisher", identifiedBy: "name") {
      Attribute("name")
      ToMany("books", of: "Book")
    }
    let chapter = Mapping("Chapter") { Attribute("title") }
    return Mappings([book, author, publisher, chapter])
  }()
}

extension Store {
  /// Imports a text.
  @discardableResult
  func `import`(
    _ text: String,
    as mapping: String,
    _ change: (inout ImportOptions) -> Void = { _ in },
    by mappings: Mappings = Shop.mappings
  ) async throws -> ImportReport {
    var options = ImportOptions()
    options.roots = [Mappings.Root(as: mapping)]
    change(&options)
    return try await self.import(DocumentSource(text: text), by: mappings, options)
  }

  /// How many commits there are.
  var commitCount: Int { get async throws { try await log().count } }
}

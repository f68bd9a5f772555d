import Testing

@Suite("The examples of the documentation")
struct SnippetTests {
  static let documents = [
    "README.md",
    "Documentation/FromCoreData.md",
    "Documentation/FromFluent.md",
    "Documentation/FromRealm.md",
    "Documentation/FromSQLiteData.md",
    "Documentation/FromSwiftData.md",
    "Documentation/Inspector.md",
    "Documentation/Mapping.md",
    "Documentation/PostgreSQL.md",
    "Documentation/Security.md",
    "Documentation/Server.md",
    "Documentation/Tour.md",
    "Documentation/Tutorial.md",
    "Documentation/WeeklyTasks.md",
    "Sources/Varve/Varve.docc/LiveObjects.md",
    "Sources/Varve/Varve.docc/Models.md",
    "Sources/VarveJSON/VarveJSON.docc/VarveJSON.md",
    "Sources/VarveStore/VarveStore.docc/BackingUp.md",
    "Sources/VarveStore/VarveStore.docc/EncryptingStores.md",
    "Sources/VarveStore/VarveStore.docc/ForgettingForGood.md",
    "Sources/VarveStore/VarveStore.docc/GettingStarted.md",
    "Sources/VarveStore/VarveStore.docc/HistoryAndThePast.md",
    "Sources/VarveStore/VarveStore.docc/OwningAndErasing.md",
    "Sources/VarveStore/VarveStore.docc/NamesOfEntities.md",
    "Sources/VarveReferences/VarveReferences.docc/NamingManyAtOnce.md",
    "Sources/VarveStore/VarveStore.docc/ObservingChanges.md",
    "Sources/VarveStore/VarveStore.docc/ResolvingIssues.md",
    "Sources/VarveStore/VarveStore.docc/SendingModels.md",
    "Sources/VarveStore/VarveStore.docc/SharingAFile.md",
    "Sources/VarveStore/VarveStore.docc/ShowingInSwiftUI.md",
    "Sources/VarveStore/VarveStore.docc/ShowingResults.md",
    "Sources/VarveStore/VarveStore.docc/Synchronizing.md",
    "Sources/VarveStore/VarveStore.docc/TestingYourCode.md",
    "Sources/VarveStore/VarveStore.docc/ToManyProperties.md",
    "Sources/VarveStore/VarveStore.docc/Validating.md",
    "Sources/VarveStore/VarveStore.docc/QueryingModels.md",
    "Sources/VarveStore/VarveStore.docc/WritingSafely.md",
  ]

  /// The files that the examples are compiled in.
  static let sources = [
    "EncryptingExampleTests.swift", "ExampleTests.swift", "ForgettingExampleTests.swift",
    "IssueExampleTests.swift",
    "LiveExampleTests.swift", "ModelExampleTests.swift", "ObjectExampleTests.swift",
    "QueryExampleTests.swift",
    "SharingExampleTests.swift", "SyncExampleTests.swift", "ValidationExampleTests.swift",
    "WritingExampleTests.swift",
    "League.swift", "SQLTaskExampleTests.swift", "ObjectTaskExampleTests.swift",
    "FluentTaskExampleTests.swift", "ChapterExampleTests.swift", "MovingExampleTests.swift",
    "ServerExampleTests.swift",
  ]

  /// The files with the examples for Apple's systems, which are type-checked against stubs.
  static let scenes = [
    "Examples/Inventory/InventoryScene.swift", "Examples/Inventory/ShelfView.swift",
  ]

  @Test(arguments: documents)
  func `are the code of the example tests, all of it and nothing else`(document: String) throws {
    let files = Self.sources.map { "Tests/DocumentationTests/\($0)" } + Self.scenes
    let compiled = try files.flatMap { Snippet.all(in: try Repository.text($0)) }
      .filter { $0.document == document }
    // Another test compares the example for Vapor, whose library is not here.
    let shown = Snippet.examples(in: try Repository.text(document), named: document)
      .filter { !$0.code.contains("import Vapor") }
    #expect(compiled == shown)
    #expect(!shown.isEmpty)
  }

  @Test func `are those of every guide and article that has any`() throws {
    let articles = try Repository.files(in: "Sources").filter { $0.contains(".docc/") }
    for path in try Repository.files(in: "Documentation") + articles where path.hasSuffix(".md") {
      let examples = Snippet.examples(in: try Repository.text(path), named: path)
      #expect(examples.isEmpty || Self.documents.contains(path), "\(path) is not listed")
    }
  }

  @Test func `the examples of the documentation name files that are there`() throws {
    for match in try Repository.text("README.md").matches(of: /\]\(([^):#]+)\)/) {
      #expect(Repository.has(String(match.1)), "README.md links to \(match.1)")
    }
  }
}

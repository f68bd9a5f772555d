import Foundation
public import Varve

@Entity struct Shop {
  var id = Identifier<Shop>()
  var name: String
  @Relation(.owns, inverse: \Hat.shop) var hats: Many<Hat> = Many()
  @Relation(as: .list) var shelf: Many<Hat> = Many()
}

@Entity(uniqueTogether: [["color", "brimSize"]])
struct Hat {
  var id = Identifier<Hat>()
  @Field(.length(1...40)) var color: String
  @Field("brim_size", .range(5...15)) var brimSize: Int
  var shop: Ref<Shop>?
  private(set) var createdAt: Date?
  var updatedAt: Date?

  init(color: String, brimSize: Int, shop: Ref<Shop>? = nil) {
    (self.color, self.brimSize, self.shop) = (color, brimSize, shop)
  }
}

/// A model other modules see.
@Entity public struct Label {
  /// Which it is.
  public var id = Identifier<Label>()
  /// The text of the label.
  public var text: String
  /// What it labels.
  @Relation public var label: Ref<Label>?
}

/// Models in other types, which use names that are known only there.
enum Library {
  enum Genre: String { case prose, verse }
  static let shelf = 3

  @Entity struct Book {
    var id = Identifier<Book>()
    var genre = Genre.prose
    var shelf = Library.shelf
    @Relation(.ownedBy) var author: Ref<Author>?
    @Relation var sequel: Ref<Self>?
    @Field(.check("odd") { ($0?.intValue ?? 1) % 2 == 1 }) var pages: Int = 101
  }

  fileprivate enum Private {
    @Entity fileprivate struct Note {
      var id = Identifier<Note>()
      fileprivate var text: String
    }
  }
}

extension Library {
  @Entity("writers", model: "writer")
  struct Author {
    var id: Identifier<Self> = .init()
    var name: String
    @Relation(inverse: \Book.author) var books = Many<Book>()
  }
}

/// Words that mean something to the language, to Varve or to what is generated.
@Entity struct Words {
  var id = Identifier<Words>()
  var `default`: Int
  var `init`: Int
  var row: Int
  var values: Int
  var schema: Int
  var write: Int
  var datestamp: Int
  @Field("entity") var type: Int
  @Field("id") var key: Int
  @Field("größe") var size: Int
  @Field("a \"b\"\\") var quoted: Int
}

/// Other forms that a property can have.
@Entity struct Oddities {
  var id = Identifier<Oddities>()
  var watched = 1 { didSet { changes += 1 } }
  @Transient var changes = 0
  let fixed = 5
  let given: Int
  lazy var later = given + 1
  var twice: Int { given * 2 }
  static let limit = 3
  private(set) var guarded = 2
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var forced: Int!
  @Wrapped var wrapped: Int
  #if DEBUG
  func describe() -> String { "\(given)" }
  #endif
}

/// A property wrapper that the macro does not know.
@propertyWrapper
struct Wrapped<Value: Sendable>: Sendable {
  var wrappedValue: Value
}

/// Names of Varve taken by a model.
enum Clashes {
  @Entity struct Schema {
    var id = Identifier<Schema>()
    var name: String
  }
}

/// A conformance the struct itself declares.
@Entity struct Declared: Persistable {
  var id = Identifier<Declared>()
  var name: String
}

/// A model that can be sent to other programs.
@Entity struct Crate: Codable, Hashable {
  var id = Identifier<Crate>()
  var label: String
  var packed: Date?
  var weight = 1.5
  var shop: Ref<Shop>?
  @Relation(as: .list) var hats: Many<Hat> = Many()
  @Transient var isOpen = false
}

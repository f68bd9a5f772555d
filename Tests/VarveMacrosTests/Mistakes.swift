extension Mistake {
  static let ofProperties = [
    Mistake(
      member: "var done: () -> Void",
      "'done' cannot be stored: it is a closure",
      fixed: "@Transient var done: () -> Void = <#value#>"
    ),
    Mistake(
      member: "/// Both.\n  var size: (Int, Int)?  // in points",
      "'size' cannot be stored: it is a tuple",
      fixed: "/// Both.\n  @Transient var size: (Int, Int)?  // in points"
    ),
    Mistake(
      member: "var size = (1, 2)",
      "'size' cannot be stored: it is a tuple",
      fixed: "@Transient var size = (1, 2)"
    ),
    Mistake(
      member: "weak var owner: Owner?",
      "'owner' cannot be stored: it is a reference to an object",
      fixed: "@Transient weak var owner: Owner?"
    ),
    Mistake(
      member: "@Transient var size: Int",
      "'size' is @Transient and needs a default value, for rows do not have it",
      fixed: "@Transient var size: Int = <#value#>"
    ),
    Mistake(
      member: "var (a, b) = (1, 2)",
      "properties of a model are declared one by one, not as a tuple"
    ),
    Mistake(
      member: "#if DEBUG\n  var size = 5\n  #endif",
      "stored properties of a model cannot depend on '#if': mark them @Transient, or move them out"
    ),
    Mistake(
      member: "let createdAt: Date?",
      "'createdAt' is set by saving and must be a variable",
      fixed: "var createdAt: Date?"
    ),
  ]

  static let ofRelations = [
    Mistake(
      member: "@Relation(.owns) var shop: String",
      "@Relation is for properties written as 'Ref' or 'Many', and 'shop' is neither",
      fixed: "var shop: String"
    ),
    Mistake(
      member: "let shop: Ref<Shop>?",
      "'shop' relates models and must be a variable, to be loaded",
      fixed: "var shop: Ref<Shop>?"
    ),
    Mistake(
      member: "var shop: Child<Shop>?",
      "'shop' cannot be stored: a 'Child' links live objects, and models that are structs relate by "
        + "'Ref' and 'Many'"
    ),
    Mistake(
      member: "var hats: [Lazy<Hat>] = []",
      "'hats' cannot be stored: a 'Lazy' links live objects, and models that are structs relate by "
        + "'Ref' and 'Many'"
    ),
    Mistake(
      member: "var hats: Many<Hat>?",
      "'hats' cannot be optional: a 'Many' that is not loaded is one already",
      fixed: "var hats: Many<Hat>"
    ),
    Mistake(
      member: #"@Relation(inverse: \Shop.hats) var shop: Ref<Shop>?"#,
      "a 'Ref' has no inverse: name this property as that of the 'Many'"
    ),
    Mistake(
      member: "@Relation(inverse: shopOfHat) var hats: Many<Hat>",
      "'inverse' must be written out as a key path, like '\\Hat.shop'"
    ),
    Mistake(
      member: #"@Relation(inverse: \.shop) var hats: Many<Hat>"#,
      "'inverse' must be written out as a key path, like '\\Hat.shop'"
    ),
    Mistake(
      member: #"@Relation(inverse: \Shop.hats) var hats: Many<Hat>"#,
      "'inverse' must be a property of 'Hat'"
    ),
  ]

  static let ofMarks = [
    withoutMeaning("@Field(.unique)", "var size: Int { 5 }", "a computed property"),
    withoutMeaning("@Field", "lazy var size = 5", "a lazy property"),
    withoutMeaning("@Field", "static var size = 5", "a static property"),
    withoutMeaning("@Field", "let size = 5", "a constant with a value"),
    withoutMeaning("@Field", "@Transient var size = 5", "a @Transient property"),
    withoutMeaning("@Relation(.owns)", "var hats: Many<Hat> { [] }", "a computed property"),
  ]

  private static func withoutMeaning(
    _ mark: String,
    _ member: String,
    _ what: String
  ) -> Mistake {
    let name = mark.dropFirst().prefix { $0 != "(" }
    return Mistake(
      member: "\(mark) \(member)",
      "@\(name) has no meaning for \(what)",
      fixed: member
    )
  }

  static let ofNames = [
    Mistake(
      member: #"@Field("size \(n)") var size: Int"#,
      "the stored name must be a string literal without interpolation"
    ),
    Mistake(
      member: "@Field(Names.size) var size: Int",
      "the stored name must be a string literal without interpolation"
    ),
    Mistake(
      member: #"var size: Int; @Field("size") var width: Int"#,
      "two properties are stored as \"size\""
    ),
    unique(
      #"[["color"], "brimSize"]"#,
      "'uniqueTogether' must be written out: "
        + "lists of property names, as string literals"
    ),
    unique(
      "lists",
      "'uniqueTogether' must be written out: "
        + "lists of property names, as string literals"
    ),
    unique(
      "[[name]]",
      "'uniqueTogether' must be written out: "
        + "lists of property names, as string literals"
    ),
    unique(#"[["color", "size"]]"#, "the model stores no property \"size\""),
    unique(#"[["color", "id"]]"#, "the model stores no property \"id\""),
    unique(
      #"[["color", "buyers"]]"#,
      "\"buyers\" cannot be in a list of columns: rows have no value for it"
    ),
  ]

  private static func unique(_ lists: String, _ message: String) -> Mistake {
    Mistake(
      """
      @Entity(uniqueTogether: \(lists)) struct Hat {
        var id = Identifier<Hat>()
        var color: String
        var brimSize: Int
        var buyers: Many<Customer>
      }
      """,
      message
    )
  }
}

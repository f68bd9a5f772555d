package import Varve

/// A thing in a place, of which there is a number.
@Entity package struct Item {
  package var id = Identifier<Item>()
  @Field(.required, .length(1...80)) package var name = ""
  @Field(.index) package var place = ""
  @Field(.range(0...1_000_000)) package var count = 0
}

extension Item {
  package init(_ name: String, in place: String, count: Int) {
    self.init(id: Identifier(), name: name, place: place, count: count)
  }

  /// The items that a text describes, by name; all for an empty text.
  static func matching(_ text: String) -> TypedQuery<Item> {
    let all = Item.all.order { $0.name.ignoringCase }
    return text.isEmpty ? all : all.where { $0.name.ignoringCase.contains(text) }
  }
}

#if Server
import Hummingbird
import Varve

/// A galaxy as clients receive it, with its stars if they were loaded.
struct GalaxyDocument: ResponseEncodable {
  let id: Identifier<Galaxy>
  let name: String
  let stars: [StarDocument]?

  init(_ galaxy: Galaxy) {
    id = galaxy.id
    name = galaxy.name
    stars = galaxy.stars.loaded?.map { StarDocument($0) }
  }
}

/// A star as clients receive it, with its tags if they were loaded.
struct StarDocument: ResponseEncodable {
  let id: Identifier<Star>
  let name: String
  let galaxy: Ref<Galaxy>
  let tags: [Tag]?

  init(_ star: Star) {
    id = star.id
    name = star.name
    galaxy = star.galaxy
    tags = star.tags.loaded
  }
}

/// A page of stars, and the mark of the next one.
struct StarPage: ResponseEncodable {
  let stars: [StarDocument]
  let next: PageMark?
}

extension Tag: ResponseCodable {}

/// The name of a new galaxy or tag, or a new name of a star.
struct Naming: Decodable {
  let name: String
}

/// A new star.
struct NewStar: Decodable {
  let name: String
  let galaxy: Identifier<Galaxy>
}
#endif

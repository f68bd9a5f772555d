#if Server
import Varve

/// A galaxy, which owns its stars.
@Entity struct Galaxy {
  var id = Identifier<Galaxy>()
  @Field(.required) var name: String
  @Relation(.owns, inverse: \Star.galaxy) var stars: Many<Star> = Many()
}

/// A star with any number of tags. No two stars have the same name.
@Entity struct Star {
  var id = Identifier<Star>()
  @Field(.required, .unique) var name: String
  var galaxy: Ref<Galaxy>
  @Relation(as: .set) var tags: Many<Tag> = Many()
}

/// A tag that any number of stars have.
@Entity struct Tag: Codable {
  var id = Identifier<Tag>()
  @Field(.required) var name: String
}
#endif

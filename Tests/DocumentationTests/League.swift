import Foundation
import Varve

// snippet: Documentation/WeeklyTasks.md
@Entity struct Team {
  var id = Identifier<Team>()
  @Field(.unique) var name: String
  @Relation(.owns, inverse: \Player.team) var players: Many<Player> = Many()
}

@Entity(indexedTogether: [["team", "score"]]) struct Player {
  var id = Identifier<Player>()
  @Field(.searchable) var name: String
  var score = 0
  var team: Ref<Team>?
}
// end

/// Opens a store with a team of three players.
func league() async throws -> (store: Store, reds: Team, ann: Player) {
  let store = try await Store.open(.inMemory)
  let reds = try await store.save(Team(name: "Reds"))
  let scores = ["Ann": 5, "Ben": 7, "Cid": 9]
  let players = scores.sorted { $0.key < $1.key }
    .map { Player(name: $0.key, score: $0.value, team: reds.ref) }
  let saved = try await store.save(players)
  return (store, reds, saved[0])
}

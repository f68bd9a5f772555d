package import Varve

/// A player with their score.
@Entity package struct Player {
  package var id = Identifier<Player>()
  package var name = ""
  package var score = 0
}

extension Player {
  package init(name: String, score: Int) {
    self.init(id: Identifier(), name: name, score: score)
  }

  /// The orders in which the list shows the players.
  package enum Ordering { case byName, byScore }

  /// All players in an order; names are compared without regard to case.
  static func ordered(_ ordering: Ordering) -> TypedQuery<Player> {
    switch ordering {
    case .byName: all.order { $0.name.ignoringCase }
    case .byScore: all.order(by: \.score, descending: true).order { $0.name.ignoringCase }
    }
  }

  private static let names = [
    "Ada", "Bjarne", "Chloé", "Dario", "Emil", "Freya", "Goran", "Hana", "Ines", "Joris", "Kaja",
    "Luis", "Mirja", "Nuno", "Ottilie", "Petra", "Rui", "Selma", "Tarek", "Ulla", "Vito", "Zora",
  ]

  static func random() -> Player {
    Player(name: names.randomElement() ?? "", score: randomScore())
  }

  static func randomScore() -> Int { 10 * Int.random(in: 0...100) }
}

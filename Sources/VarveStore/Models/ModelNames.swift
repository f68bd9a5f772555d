/// Names in the database made from names in Swift.
package enum ModelNames {
  /// Words joined by underscores: `brimSize` becomes `brim_size`, `URLPath` `url_path`.
  package static func underscored(_ name: String) -> String {
    let characters = Array(name)
    var result = ""
    for (index, character) in characters.enumerated() {
      let isBeginning =
        character.isUppercase && index > 0 && characters[index - 1] != "_"
        && (!characters[index - 1].isUppercase
          || (index + 1 < characters.count && characters[index + 1].isLowercase))
      if isBeginning { result.append("_") }
      result += character.lowercased()
    }
    return result
  }

  /// The regular plural of an English noun: `hat` becomes `hats`, `box` `boxes`, `city` `cities`.
  package static func plural(_ name: String) -> String {
    let vowels: Set<Character> = ["a", "e", "i", "o", "u"]
    if name.hasSuffix("y"), let before = name.dropLast().last, !vowels.contains(before) {
      return name.dropLast() + "ies"
    }
    let hisses = ["s", "x", "z", "ch", "sh"].contains { name.hasSuffix($0) }
    return name + (hisses ? "es" : "s")
  }
}

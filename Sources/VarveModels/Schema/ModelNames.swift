/// Database names derived from Swift names.
package enum ModelNames {
  /// Returns a name in snake case: `brim_size` for `brimSize`, `url_path` for `URLPath`.
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

  /// Returns the regular plural of an English noun: `hats` for `hat`, `boxes` for `box`, `cities`
  /// for `city`.
  package static func plural(_ name: String) -> String {
    let vowels: Set<Character> = ["a", "e", "i", "o", "u"]
    if name.hasSuffix("y"), let before = name.dropLast().last, !vowels.contains(before) {
      return name.dropLast() + "ies"
    }
    let hisses = ["s", "x", "z", "ch", "sh"].contains { name.hasSuffix($0) }
    return name + (hisses ? "es" : "s")
  }
}

#if !Server
import Foundation

/// Stands in the place of the program where its trait is off, and names the trait.
@main
struct SwitchedOff {
  static func main() {
    let message =
      "inventory-web was built without its trait: run 'swift build --traits Server --product inventory-web'\n"
    FileHandle.standardError.write(Data(message.utf8))
    exit(64)
  }
}
#endif

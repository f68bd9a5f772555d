// Swift Package Manager takes a file of this name in place of an entry point that it would write itself,
// for which it reads the index of all test files. Builds by make leave the index out.

import Testing

@main
struct Main {
  static func main() async {
    await Testing.__swiftPMEntryPoint() as Never
  }
}

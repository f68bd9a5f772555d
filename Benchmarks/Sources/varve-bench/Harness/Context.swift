/// The context of benchmarks.
struct Context {
  let options: Options
  let workspace: Workspace

  func scaled(_ size: Int) -> Int { options.scaled(size) }
}

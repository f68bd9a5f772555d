/// The name of a store in errors.
package enum StorePlace {
  /// What errors of the current task call its store; nil for the path of its file, which the
  /// callers of a server must not learn.
  @TaskLocal package static var current: String?
}

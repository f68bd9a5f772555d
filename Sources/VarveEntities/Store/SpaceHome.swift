package import VarveCore

/// A place that keeps the logs of spaces, which several hosts share.
///
/// A module that has one, such as VarvePostgres, creates it; a server serves its spaces.
public struct SpaceHome: Sendable {
  package let home: any NotedHome

  package init(_ home: any NotedHome) { self.home = home }
}

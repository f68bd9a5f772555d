// swift-tools-version:6.2
import PackageDescription

/// The benchmarks: a package of its own, so that the library's dependencies stay few.
let package = Package(
  name: "VarveBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Varve", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .target(
      name: "CParse",
      cxxSettings: [.define("SIMDJSON_THREADS_ENABLED", to: "1")],
      linkerSettings: [.linkedLibrary("simdjson")]
    ),
    .executableTarget(
      name: "varve-bench",
      dependencies: [
        "CParse",
        .product(name: "VarveStore", package: "Varve"),
        .product(name: "VarveReferences", package: "Varve"),
        .product(name: "VarveCore", package: "Varve"),
        .product(name: "VarveSync", package: "Varve"),
        .product(name: "VarveSealed", package: "Varve"),
        .product(name: "VarveJSON", package: "Varve"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
      ]
    ),
  ],
  cxxLanguageStandard: .cxx17
)

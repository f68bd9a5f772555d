// swift-tools-version:6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

/// Whether warnings are errors. The Makefile and `.ci/run` set the variable. They are not errors in a
/// package that depends on Varve: its build system suppresses the warnings of dependencies, and the two
/// options exclude each other.
let warningsAreErrors = Context.environment["VARVE_STRICT"] == "1"

/// Settings every target of Varve is built with.
let strict: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
  + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

#if os(Linux)
/// The privacy manifest of a module that reads the status of files, which Apple's systems ask for.
let privacyManifest: [Resource] = []
let unusedManifest = ["PrivacyInfo.xcprivacy"]
#else
let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
let unusedManifest: [String] = []
#endif

#if os(Linux)
/// Whether zstd is built from source. A Linux host uses the system's, unless it builds for a system
/// that has none (static Linux, Android).
let buildsZstd = Context.environment["VARVE_SOURCE_ZSTD"] == "1"
#else
let buildsZstd = true
#endif

#if os(Linux)
/// Whether simdjson, a library of the system, parses JSON. Without it the reader in Swift does.
let usesSimdjson = Context.environment["VARVE_WITHOUT_SIMDJSON"] != "1"
#else
let usesSimdjson = false
#endif

#if os(Linux)
/// Where a SQLCipher of 4.6 or newer is installed, which is then the SQLite of everything. The trait
/// `SQLCipher` needs it on Linux.
let cipherPrefix = Context.environment["VARVE_SQLCIPHER"].flatMap { $0.isEmpty ? nil : $0 }
#else
let cipherPrefix: String? = nil
#endif

/// The flags that link SQLCipher's library, by its path: since version 4.7 it has SQLite's name, and the
/// linker would find the system's first. The whole library becomes a part of the program, so that other
/// packages that use SQLite use it too.
func cipherFlags(under prefix: String) -> [String] {
  let folder = "\(prefix)/lib"
  let names = ["libsqlite3.a", "libsqlcipher.a", "libsqlcipher.so", "libsqlite3.so"]
  let name = names.first { FileManager.default.fileExists(atPath: "\(folder)/\($0)") } ?? names[0]
  let flags =
    name.hasSuffix(".a")
    ? ["--whole-archive", "\(folder)/\(name)", "--no-whole-archive"]
    : ["\(folder)/\(name)", "-rpath", folder]
  return flags.flatMap { ["-Xlinker", $0] }
}

/// The compression of blocks.
let zstd: Target.Dependency =
  buildsZstd ? .product(name: "libzstd", package: "zstd") : .target(name: "CZstd")

/// The parts of Varve that are compiled only where a package asks for them. Without a trait a
/// dependent package does not even fetch what they depend on.
enum Part: String {
  case commandLine = "CommandLine"
  case client = "Client"
  case server = "Server"
  case yaml = "YAML"
  case openCombine = "OpenCombine"
  case cipher = "SQLCipher"

  /// Apple's systems.
  static let apple: [Platform] = [.macOS, .iOS, .macCatalyst, .tvOS, .watchOS, .visionOS]

  /// Returns a product that only this part needs.
  func product(
    _ name: String,
    _ package: String,
    on platforms: [Platform] = [.linux, .macOS]
  ) -> Target.Dependency {
    .product(
      name: name,
      package: package,
      condition: .when(platforms: platforms, traits: [rawValue])
    )
  }

  /// Returns a target of Varve that only this part needs.
  func target(_ name: String) -> Target.Dependency {
    .target(name: name, condition: .when(traits: [rawValue]))
  }
}

#if os(Linux)
let cipherProducts: [Target.Dependency] = []
#else
/// Zetetic's SQLCipher.
let cipherProducts = [Part.cipher.product("SQLCipher", "SQLCipher.swift", on: Part.apple)]
#endif

/// The publishers of systems without Combine.
let openCombine = Target.Dependency.product(
  name: "OpenCombine",
  package: "OpenCombine",
  condition: .when(traits: [Part.openCombine.rawValue])
)

let package = Package(
  name: "Varve",
  // The first versions whose standard library has Mutex, Atomic and UInt128.
  platforms: [
    .macOS(.v15), .iOS(.v18), .macCatalyst(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2),
  ],
  products: [
    .library(name: "Varve", targets: ["Varve"]),
    .library(name: "VarveStore", targets: ["VarveStore"]),
    .library(name: "VarveReferences", targets: ["VarveReferences"]),
    .library(name: "VarveCore", targets: ["VarveCore"]),
    .library(name: "VarveJSON", targets: ["VarveJSON"]),
    .library(name: "VarveYAML", targets: ["VarveYAML"]),
    .library(name: "VarveSync", targets: ["VarveSync"]),
    .library(name: "VarveAdoption", targets: ["VarveAdoption"]),
    .library(name: "VarveSealed", targets: ["VarveSealed"]),
    .library(name: "VarveServer", targets: ["VarveServer"]),
    .library(name: "VarveClient", targets: ["VarveClient"]),
    .library(name: "VarvePostgres", targets: ["VarvePostgres"]),
    .executable(name: "varve", targets: ["VarveCommand"]),
  ],
  traits: [
    .trait(
      name: "OpenCombine",
      description: "Publishers of changes where the system has no Combine, by OpenCombine."
    ),
    .trait(name: "CommandLine", description: "The program `varve`."),
    .trait(name: "YAML", description: "The product VarveYAML, and mappings in YAML in `varve`."),
    .trait(
      name: "Client",
      description: "The product VarveClient, which needs no trait on Apple's systems."
    ),
    .trait(
      name: "Server",
      description: "The product VarveServer, and `varve serve`.",
      enabledTraits: ["Client"]
    ),
    .trait(
      name: "SQLCipher",
      description: "Encrypted stores, by Zetetic's package, or by the SQLCipher of VARVE_SQLCIPHER."
    ),
  ],
  dependencies: [
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"604.0.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.0.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),
    .target(
      name: "VarveCore",
      dependencies: [zstd, .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: strict
    ),
    .systemLibrary(
      name: "CSQLite",
      path: cipherPrefix == nil ? "Sources/CSQLite" : "Sources/CSQLCipher",
      providers: [.apt(["libsqlite3-dev"])]
    ),
    .target(
      name: "SQLiteLibrary",
      dependencies: ["CSQLite"] + cipherProducts,
      swiftSettings: strict,
      linkerSettings: cipherPrefix.map { [.unsafeFlags(cipherFlags(under: $0))] } ?? []
    ),
    .target(
      name: "CVarveSQLite",
      dependencies: ["CSQLite"] + cipherProducts,
      cSettings: [.define("VARVE_SQLCIPHER", .when(traits: [Part.cipher.rawValue]))]
    ),
    .target(
      name: "VarveSQLite",
      dependencies: [
        "CVarveSQLite", "SQLiteLibrary", "VarveCore",
        Part.cipher.product("_CryptoExtras", "swift-crypto", on: [.linux] + Part.apple),
      ],
      exclude: unusedManifest,
      resources: privacyManifest,
      swiftSettings: strict
    ),
    .target(
      name: "VarveSync",
      dependencies: ["VarveCore"],
      exclude: unusedManifest,
      resources: privacyManifest,
      swiftSettings: strict
    ),
    .target(
      name: "VarveSealed",
      dependencies: [
        "VarveCore", "VarveEntities", .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "VarveEntities",
      dependencies: [
        "VarveCore", "VarveSync", openCombine, .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "VarveModels",
      dependencies: [
        "VarveCore", "VarveEntities", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "VarveObjects",
      dependencies: ["VarveCore", "VarveEntities", "VarveModels"],
      swiftSettings: strict
    ),
    .target(
      name: "VarveReferences",
      dependencies: ["VarveCore", "VarveEntities"],
      swiftSettings: strict
    ),
    .target(
      name: "VarveStore",
      dependencies: [
        "VarveCore", "VarveEntities", "VarveModels", "VarveObjects", "VarveSQLite",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict
    ),
    .macro(
      name: "VarveMacros",
      dependencies: [
        "VarveMacroExpansion",
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "VarveMacroExpansion",
      dependencies: [
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ],
      swiftSettings: strict
    ),
    .target(name: "Varve", dependencies: ["VarveStore", "VarveMacros"], swiftSettings: strict),
    .target(
      name: "CVarveJSON",
      // With threads, as simdjson is built on every system that ships it.
      cxxSettings: [
        .define(usesSimdjson ? "SIMDJSON_THREADS_ENABLED" : "VARVE_WITHOUT_SIMDJSON", to: "1")
      ],
      linkerSettings: usesSimdjson ? [.linkedLibrary("simdjson")] : []
    ),
    .target(
      name: "VarveJSON",
      dependencies: ["VarveCore", "VarveReferences", "VarveStore", "CVarveJSON"],
      exclude: unusedManifest,
      resources: privacyManifest,
      swiftSettings: strict
    ),
    .target(
      name: "VarveYAML",
      dependencies: [
        "VarveCore", "VarveJSON", "VarveStore", Part.yaml.product("Yams", "Yams"),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "VarveAdoption",
      dependencies: ["SQLiteLibrary", "VarveCore", "VarveSQLite", "VarveStore"],
      swiftSettings: strict
    ),
    .target(
      name: "VarveServer",
      dependencies: [
        "CZlib", "VarveCore", "VarveJSON", "VarveStore", "VarveSync",
        .product(name: "Crypto", package: "swift-crypto"),
        Part.server.product("AsyncHTTPClient", "async-http-client"),
        Part.server.product("HTTPTypes", "swift-http-types"),
        Part.server.product("Hummingbird", "hummingbird"),
        Part.server.product("HummingbirdCore", "hummingbird"),
        Part.server.product("HummingbirdHTTP2", "hummingbird"),
        Part.server.product("JWTKit", "jwt-kit"),
        Part.server.product("Logging", "swift-log"),
        Part.server.product("Metrics", "swift-metrics"),
        Part.server.product("NIOCore", "swift-nio"),
        Part.server.product("NIOHTTP1", "swift-nio"),
        Part.server.product("NIOHTTPTypes", "swift-nio-extras"),
        Part.server.product("NIOSSL", "swift-nio-ssl"),
        Part.server.product("NIOTLS", "swift-nio"),
        Part.server.product("ServiceLifecycle", "swift-service-lifecycle"),
        Part.server.product("UnixSignals", "swift-service-lifecycle"),
      ],
      resources: [.embedInCode("Inspector/Page")],
      swiftSettings: strict
    ),
    .target(
      name: "VarveClient",
      dependencies: [
        "VarveCore", "VarveStore", "VarveSync",
        Part.client.product("AsyncHTTPClient", "async-http-client", on: [.linux]),
        Part.client.product("NIOCore", "swift-nio", on: [.linux]),
        Part.client.product("NIOHTTP1", "swift-nio", on: [.linux]),
        Part.client.product("NIOPosix", "swift-nio", on: [.linux]),
        Part.client.product("NIOSSL", "swift-nio-ssl", on: [.linux]),
      ],
      swiftSettings: strict
    ),
    .systemLibrary(
      name: "CPostgres",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    .target(
      name: "VarvePostgres",
      dependencies: ["CPostgres", "VarveCore", "VarveJSON", "VarveStore"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "varve-cases",
      dependencies: ["VarveCore", "VarvePostgres", "VarveReferences", "VarveStore", "VarveJSON"],
      path: "Tools/varve-cases",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "VarveCommand",
      dependencies: [
        "VarveAdoption", "VarveCore", "VarveStore", "VarveJSON", "VarveSync",
        Part.client.target("VarveClient"), Part.commandLine.target("VarveSealed"),
        Part.server.target("VarvePostgres"),
        Part.server.target("VarveServer"), Part.yaml.target("VarveYAML"),
        Part.commandLine.product("ArgumentParser", "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        Part.server.product("Configuration", "swift-configuration"),
        Part.server.product("SystemPackage", "swift-system"),
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "shop",
      dependencies: ["Varve"],
      path: "Examples/Shop",
      exclude: ["README.md"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "field-notebook",
      dependencies: ["Varve", "VarveClient", "VarveSync"],
      path: "Examples/FieldNotebook",
      exclude: ["README.md"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "mounted-routes",
      dependencies: [
        "VarveServer", Part.server.product("Hummingbird", "hummingbird"),
        Part.server.product("NIOCore", "swift-nio"),
      ],
      path: "Examples/MountedRoutes",
      exclude: ["README.md"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "inventory-web",
      dependencies: [
        "VarveServer", Part.server.product("HTTPTypes", "swift-http-types"),
        Part.server.product("Hummingbird", "hummingbird"),
        Part.server.product("NIOCore", "swift-nio"),
      ],
      path: "Examples/InventoryWeb",
      swiftSettings: strict
    ),
    .target(
      name: "Inventory",
      dependencies: ["Varve", "VarveClient"],
      path: "Examples/Inventory",
      exclude: ["README.md"],
      swiftSettings: strict
    ),
    .target(
      name: "Players",
      dependencies: ["Varve"],
      path: "Examples/Players",
      exclude: ["README.md"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "galaxies",
      dependencies: [
        "Varve", Part.server.product("HTTPTypes", "swift-http-types"),
        Part.server.product("Hummingbird", "hummingbird"),
        Part.server.product("NIOCore", "swift-nio"),
      ],
      path: "Examples/Galaxies",
      exclude: ["README.md"],
      swiftSettings: strict
    ),
    .target(
      name: "VarveTestSupport",
      dependencies: ["VarveCore", "VarveSync"],
      path: "Tests/Support/VarveTestSupport",
      swiftSettings: strict
    ),
    .target(
      name: "VarveStoreTestSupport",
      dependencies: ["VarveCore", "VarveJSON", "VarveSQLite", "VarveStore", "VarveTestSupport"],
      path: "Tests/Support/VarveStoreTestSupport",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "varve-torture",
      dependencies: [
        "VarveCore", "VarvePostgres", "VarveSQLite", "VarveReferences", "VarveStore",
        "VarveTestSupport",
      ],
      path: "Tools/varve-torture",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "varve-home-load",
      dependencies: ["VarveCore", "VarvePostgres", "VarveStore"],
      path: "Tools/varve-home-load",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "varve-simulate",
      dependencies: ["VarveCore", "VarveSQLite", "VarveStoreTestSupport", "VarveTestSupport"],
      path: "Tools/varve-simulate",
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarveCoreTests",
      dependencies: ["VarveCore", "VarveTestSupport"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarveSealedTests",
      dependencies: [
        "VarveSealed", "VarveStore", "VarveSync", "VarveJSON", "VarveCore", "VarveTestSupport",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarveSQLiteTests",
      dependencies: [
        "VarveSQLite", "VarveStore", "VarveCore", "VarveStoreTestSupport", "VarveTestSupport",
        "varve-torture", "CSQLite",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarveStoreTests",
      dependencies: [
        "VarveReferences", "VarveStore", "VarveSQLite", "VarveCore", "VarveStoreTestSupport",
        "VarveTestSupport",
        openCombine, .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarveSyncTests",
      dependencies: [
        "VarveSync", "VarveStore", "VarveSQLite", "VarveCore", "VarveTestSupport", "varve-simulate",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarveJSONTests",
      dependencies: ["VarveJSON", "VarveStore", "VarveSQLite", "VarveCore", "VarveTestSupport"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarveTests",
      dependencies: ["Inventory", "Players", "Varve", "shop"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarveIsolationTests",
      dependencies: ["Varve"],
      swiftSettings: strict + [.defaultIsolation(MainActor.self)]
    ),
    .testTarget(
      name: "VarveMacrosTests",
      dependencies: [
        "VarveMacroExpansion",
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftIDEUtils", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarveYAMLTests",
      dependencies: ["VarveYAML", "VarveJSON", "VarveStore", "VarveCore"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarveAdoptionTests",
      dependencies: [
        "VarveAdoption", "VarveStore", "VarveCore", "VarveTestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarveCommandTests",
      dependencies: ["VarveCommand", "VarveStore", "VarveTestSupport"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarveServerTests",
      dependencies: [
        "VarveClient", "VarveCommand", "VarveCore", "VarveJSON", "VarveSealed", "VarveServer",
        "VarveStore", "VarveSync", "VarveTestSupport", "field-notebook", "galaxies",
        "inventory-web",
        "mounted-routes",
        Part.server.product("AsyncHTTPClient", "async-http-client"),
        Part.server.product("CoreMetrics", "swift-metrics"),
        Part.server.product("JWTKit", "jwt-kit"),
        Part.server.product("Logging", "swift-log"),
        Part.server.product("NIOCore", "swift-nio"),
        Part.server.product("NIOHTTP1", "swift-nio"),
        Part.server.product("NIOPosix", "swift-nio"),
        Part.server.product("NIOSSL", "swift-nio-ssl"),
        Part.server.product("HTTPTypes", "swift-http-types"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "VarvePostgresTests",
      dependencies: [
        "VarveClient", "VarveCommand", "VarveCore", "VarveJSON", "VarvePostgres", "VarveSealed",
        "VarveServer", "VarveSQLite", "VarveStore", "VarveStoreTestSupport", "VarveTestSupport",
        "varve-torture",
      ],
      swiftSettings: strict
    ),
    .testTarget(name: "VarveCasesTests", dependencies: ["varve-cases"], swiftSettings: strict),
    .testTarget(
      name: "GoldenTests",
      dependencies: [
        "VarveJSON", "VarveStore", "VarveSQLite", "VarveSync", "VarveCore", "VarveTestSupport",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "Varve", "VarveAdoption", "VarveClient", "VarveCore", "VarveJSON", "VarvePostgres",
        "VarveReferences", "VarveSealed", "VarveServer", "VarveStore", "VarveSync",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: strict
    ),
  ],
  cxxLanguageStandard: .cxx17
)

// A declared package is fetched even where no target uses it, so each system declares what it needs.
if buildsZstd {
  package.dependencies.append(
    .package(url: "https://github.com/facebook/zstd", from: "1.5.6")
  )
} else {
  package.targets.append(
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])])
  )
}
#if !os(Linux)
package.dependencies.append(
  .package(url: "https://github.com/sqlcipher/SQLCipher.swift", from: "4.10.0")
)
#endif

// The check of the public API compares the modules of library products. These three are public because
// VarveStore re-exports them.
if Context.environment["VARVE_API_CHECK"] == "1" {
  for name in ["VarveEntities", "VarveModels", "VarveObjects"] {
    package.products.append(.library(name: name, targets: [name]))
  }
}

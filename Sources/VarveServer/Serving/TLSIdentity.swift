#if Server
import Foundation
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import Synchronization
import UnixSignals
import VarveCore

/// The files of a server's certificate and its key, as PEM.
public struct TLSFiles: Sendable, Hashable {
  /// The certificate, followed by those that vouch for it.
  public var certificate: String
  /// The private key.
  public var key: String

  /// Names the files.
  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

/// The certificate that a server shows. It is read anew when its files change, and on SIGHUP.
///
/// Open connections keep their certificate. If the new files cannot be used, that is reported, and
/// the previous certificate stays in use.
final class TLSIdentity: Service {
  private struct State {
    var override: NIOSSLContextConfigurationOverride
    var versions: [FileVersion]
    var failed: [FileVersion]?
  }

  private let files: TLSFiles
  private let logger: Logger
  private let handlesSignals: Bool
  private let state: Mutex<State>

  /// The time between two looks at the files.
  private static let interval = Duration.seconds(2)

  /// Reads the files.
  ///
  /// - Throws: `VarveError` with code `inputOutput` if they cannot be used.
  init(_ files: TLSFiles, logger: Logger, handlesSignals: Bool) throws {
    self.files = files
    self.logger = logger
    self.handlesSignals = handlesSignals
    let versions = Self.versions(files)
    state = Mutex(State(override: try Self.read(files), versions: versions))
  }

  /// The configuration of every connection.
  func configuration() throws -> TLSConfiguration {
    var configuration = try Self.configuration(state.withLock { $0.override })
    configuration.sslContextCallback = { [self] _, promise in
      promise.succeed(state.withLock { $0.override })
    }
    return configuration
  }

  func run() async throws {
    try? await cancelWhenGracefulShutdown { [self] in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          while true {
            try await Task.sleep(for: Self.interval)
            self.reload(isForced: false)
          }
        }
        if handlesSignals {
          group.addTask {
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
              self.reload(isForced: true)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// Reads the files if they have changed.
  private func reload(isForced: Bool) {
    let present = Self.versions(files)
    let isKnown = state.withLock { $0.versions == present || $0.failed == present }
    guard isForced || !isKnown else { return }
    do {
      let override = try Self.read(files)
      state.withLock { $0 = State(override: override, versions: present) }
      logger.notice("the certificate was read anew")
    } catch {
      // The two files may be written one after the other: the next change is looked at again.
      state.withLock { $0.failed = present }
      logger.error("the certificate stays in use", metadata: ["reason": "\(error)"])
    }
  }

  private static func versions(_ files: TLSFiles) -> [FileVersion] {
    [FileVersion(files.certificate), FileVersion(files.key)]
  }

  private static func read(_ files: TLSFiles) throws -> NIOSSLContextConfigurationOverride {
    do {
      var override = NIOSSLContextConfigurationOverride()
      override.certificateChain = try NIOSSLCertificate.fromPEMFile(files.certificate)
        .map { .certificate($0) }
      override.privateKey = .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem))
      // Fails unless the two belong together.
      _ = try NIOSSLContext(configuration: try configuration(override))
      return override
    } catch {
      throw VarveError(
        .inputOutput,
        "the certificate and its key cannot be used: \(error)",
        at: "\(files.certificate), \(files.key)",
        remedy: "Write both as PEM, the certificate followed by those that vouch for it."
      )
    }
  }

  private static func configuration(
    _ override: NIOSSLContextConfigurationOverride
  ) throws -> TLSConfiguration {
    guard let key = override.privateKey else { throw NIOSSLError.failedToLoadPrivateKey }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: override.certificateChain ?? [],
      privateKey: key
    )
    configuration.minimumTLSVersion = .tlsv12
    return configuration
  }
}
#endif

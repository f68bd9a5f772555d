import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveTestSupport

@Suite("Secrets in files")
struct KeyStoreTests {
  private let scratch: Scratch
  private let store: FileKeyStore
  private let name: KeyName
  private let secret = Secret(copying: Array("a secret of some length".utf8))

  init() throws {
    scratch = try Scratch()
    store = FileKeyStore(folder: scratch.path("keys"))
    name = try KeyName("device-1")
  }

  private var file: String { scratch.path("keys/device-1.varve-key") }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  /// Expects that reading fails, and that the error names the file and has nothing of its content.
  private func refuses(
    _ code: VarveError.Code,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let error = try #require(throws: VarveError.self, sourceLocation: location) {
      try store.secret(named: name)
    }
    #expect(error.code == code, "\(error)", sourceLocation: location)
    #expect(error.place?.hasPrefix(scratch.path("keys")) == true, sourceLocation: location)
    #expect(error.remedy?.isEmpty == false, sourceLocation: location)
    #expect(!error.description.contains("a secret of some"), sourceLocation: location)
  }

  @Test func `a secret is kept replaced and removed`() throws {
    #expect(try store.secret(named: name) == nil)
    try store.keep(secret, named: name)
    #expect(try store.secret(named: name) == secret)
    #expect(try mode(file) == 0o600)
    #expect(try mode(scratch.path("keys")) == 0o700)
    let other = Secret(copying: [1, 2, 3])
    try store.keep(other, named: name)
    #expect(try store.secret(named: name) == other)
    #expect(try scratch.names(in: "keys") == ["device-1.varve-key"])
    try store.removeSecret(named: name)
    try store.removeSecret(named: name)
    #expect(try store.secret(named: name) == nil)
  }

  @Test func `every changed byte and every cut are noticed`() throws {
    try store.keep(secret, named: name)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    func rewrite(_ bytes: Data) throws {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: bytes)
      try handle.close()
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x10
      try rewrite(changed)
      try refuses(.damaged)
      try rewrite(bytes.prefix(index))
      try refuses(.damaged)
    }
    try rewrite(bytes + [0])
    try refuses(.damaged)
    try rewrite(Data(repeating: 0, count: 1 << 20))
    try refuses(.damaged)
    try rewrite(bytes)
    #expect(try store.secret(named: name) == secret)
  }

  @Test func `files and folders that others can read are refused`() throws {
    try store.keep(secret, named: name)
    for mode: mode_t in [0o640, 0o604, 0o660, 0o601] {
      chmod(file, mode)
      try refuses(.inputOutput)
    }
    chmod(file, 0o600)
    for mode: mode_t in [0o750, 0o705, 0o770] {
      chmod(scratch.path("keys"), mode)
      try refuses(.inputOutput)
      #expect(throws: VarveError.self) { try store.keep(secret, named: name) }
    }
    chmod(scratch.path("keys"), 0o700)
    #expect(try store.secret(named: name) == secret)
  }

  @Test func `symbolic links and what is no file are refused`() throws {
    try store.keep(secret, named: name)
    rename(file, scratch.path("elsewhere"))
    symlink(scratch.path("elsewhere"), file)
    try refuses(.inputOutput)
    unlink(file)
    mkdir(file, 0o700)
    try refuses(.inputOutput)
    rmdir(file)
    mkfifo(file, 0o600)
    try refuses(.inputOutput)
    unlink(file)
    rename(scratch.path("keys"), scratch.path("true keys"))
    symlink(scratch.path("true keys"), scratch.path("keys"))
    try refuses(.inputOutput)
  }

  @Test func `a link that stands at the name is replaced and not followed`() throws {
    try store.keep(secret, named: name)
    unlink(file)
    try Data("untouched".utf8).write(to: URL(fileURLWithPath: scratch.path("victim")))
    symlink(scratch.path("victim"), file)
    try store.keep(secret, named: name)
    #expect(try store.secret(named: name) == secret)
    #expect(try String(contentsOfFile: scratch.path("victim"), encoding: .utf8) == "untouched")
  }

  @Test func `names lead nowhere else`() {
    for text in ["", "../x", "a/b", "A", ".hidden", "ä", String(repeating: "a", count: 101)] {
      let error = #expect(throws: VarveError.self) { try KeyName(text) }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func `keys and memories and invitations are kept`() throws {
    let team = try SealedTeam()
    try store.keep(team.ana.secret, named: name)
    let kept = try #require(try store.secret(named: name))
    #expect(try Signer(kept).id == team.ana.id)
    try store.keep(MembershipMemory(team.log).secret, named: name)
    let memory = try #require(try store.secret(named: name))
    #expect(try MembershipMemory(memory) == MembershipMemory(team.log))
    let open = OpenInvitation(Invitation(role: .reader), end: 5)
    try store.keep(open.secret, named: name)
    let invitation = try #require(try store.secret(named: name))
    #expect(try OpenInvitation(invitation) == open)
    #expect(throws: VarveError.self) { try Signer(invitation) }
    #expect(throws: VarveError.self) { try OpenInvitation(memory) }
    #expect(throws: VarveError.self) { try MembershipMemory(kept) }
  }
}

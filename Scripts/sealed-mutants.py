#!/usr/bin/env python3
"""Plants mistakes in the checks of sealed spaces, one at a time, each of which the tests must find.

    sealed-mutants.py [FOLDER] [--only WORD] [--after NUMBER]

Each mutant is a change of one line of Sources/VarveSealed, in a copy of the sources that the tests need. A
mutant that compiles and fails no test is a finding. FOLDER keeps the copy and its build, so that the next run
is faster; without it they are in a temporary folder.
"""
import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("Sources/VarveCore", "Sources/VarveSync", "Sources/VarveSealed", "Sources/CZstd",
          "Tests/Support/VarveTestSupport", "Tests/VarveSealedTests", "Tests/Fixtures", "Scripts")
# The suites that take half of the time.
SLOW = "OtherImplementationTests|AlteredMembershipTests"
MANIFEST = """// swift-tools-version:6.2
import PackageDescription
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let package = Package(
  name: "Varve",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0")],
  targets: [
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd"),
    .target(name: "VarveCore", dependencies: ["CZstd", crypto], swiftSettings: strict),
    .target(name: "VarveSync", dependencies: ["VarveCore"], exclude: ["PrivacyInfo.xcprivacy"], swiftSettings: strict),
    .target(name: "VarveTestSupport", dependencies: ["VarveCore", "VarveSync"],
            path: "Tests/Support/VarveTestSupport", swiftSettings: strict),
    .target(name: "VarveSealed", dependencies: ["VarveCore", crypto], exclude: ["Spaces"], swiftSettings: strict),
    .testTarget(name: "VarveSealedTests", dependencies: ["VarveSealed", "VarveCore", "VarveTestSupport"],
                exclude: ["Stores"], swiftSettings: strict),
  ]
)
"""


class Mutant(NamedTuple):
    """A mistake: a text of a file, and what stands there instead."""

    name: str
    file: str
    text: str
    instead: str


MUTANTS = (
    Mutant("the signature of an entry is not verified", "Membership/MembershipLine.swift",
           "let keys = state.keys(of: entry.signer), entry.isSigned(by: keys) else {",
           "state.keys(of: entry.signer) != nil else {"),
    Mutant("the signature of a genesis is not verified", "Membership/MembershipLine.swift",
           "guard entry.isSigned(by: creator), creator.id", "guard creator.id"),
    Mutant("the chain of entries is not verified", "Membership/MembershipLine.swift",
           "entry.number == last.number + 1, entry.previous == last.hash else",
           "entry.number == last.number + 1 else"),
    Mutant("an entry of another space is taken", "Membership/MembershipLine.swift",
           "guard entry.space == state.space else", "guard entry.space == entry.space else"),
    Mutant("the rights of a signer are not verified", "Membership/MembershipState+Applying.swift",
           "default: isAdmin(entry.signer)", "default: true"),
    Mutant("an admin joins a fork", "Membership/MembershipState+Applying.swift",
           "case .join: entry.signer == recovery.id", "case .join: isAdmin(entry.signer)"),
    Mutant("a reader binds replicas", "Membership/MembershipState+Applying.swift",
           "case .bind: role(of: entry.signer).map { $0 >= .writer } ?? false",
           "case .bind: role(of: entry.signer) != nil"),
    Mutant("a removed device stays an admin", "Membership/MembershipState+Applying.swift",
           "    devices[device]?.role = nil\n", ""),
    Mutant("a removal leaves the epoch in force", "Membership/MembershipState+Applying.swift",
           "    devices[device]?.role = nil\n    epochInForce = nil\n", "    devices[device]?.role = nil\n"),
    Mutant("a removed device is added again", "Membership/MembershipState+Applying.swift",
           "guard devices[id] == nil, id", "guard devices[id]?.role == nil, id"),
    Mutant("an invitation is used twice", "Membership/MembershipState+Applying.swift",
           "usedInvitations.contains(invitation) {", "usedInvitations.contains([]), invitation.isEmpty {"),
    Mutant("a replica is bound twice", "Membership/MembershipState+Applying.swift",
           "guard replicas[replica] == nil else", "guard replicas[replica] != entry.signer else"),
    Mutant("the number of an epoch is used again", "Membership/MembershipState+Applying.swift",
           "guard epoch.number == epochNumber + 1 else", "guard epoch.number >= epochNumber else"),
    Mutant("the key of an epoch is used again", "Membership/MembershipState+Applying.swift",
           "guard !commitments.contains(epoch.commitment) else", "guard epoch.number > 0 else"),
    Mutant("an epoch leaves members out", "Membership/MembershipState+Applying.swift",
           "guard epoch.recipients.map(\\.id) == recipients.map(\\.id) else", "guard epoch.number > 0 else"),
    Mutant("an epoch forgets those before it", "Membership/MembershipState+Applying.swift",
           "guard epoch.earlier.map(\\.commitment) == epochEnds.sorted() else", "guard epoch.number > 0 else"),
    Mutant("what is below no checkpoint is destroyed", "Membership/MembershipState+Applying.swift",
           "guard commits.allSatisfy({ $0.sequence <= checkpointedNumbers[$0.replica] ?? 0 }) else",
           "guard commits.count >= 0 else"),
    Mutant("a removal accepts heads of others", "Membership/MembershipState+Applying.swift",
           "guard accepted.allSatisfy({ replicas[$0.replica] == device }) else", "guard accepted.count >= 0 else"),
    Mutant("a join forgets removals of the other branch", "Membership/MembershipState+Joining.swift",
           "        devices[id]?.role = nil\n", "        devices[id]?.role = theirs.role ?? .reader\n"),
    Mutant("a join forgets closures of the other branch", "Membership/MembershipState+Joining.swift",
           "      closures[hash] = closure\n", ""),
    Mutant("a join takes the higher role", "Membership/MembershipState+Joining.swift",
           "min(own, role)", "max(own, role)"),
    Mutant("a device that only the carried branch added stays", "Membership/MembershipState+Joining.swift",
           "        devices[id] = theirs\n        devices[id]?.role = nil\n", "        devices[id] = devices[id] ?? theirs\n"),
    Mutant("what such a device wrote counts", "Membership/MembershipState+Joining.swift",
           "    if !newcomers.isEmpty {", "    if newcomers.count > 1_000 {"),
    Mutant("a removed device binds replicas in another branch", "Membership/MembershipState+Joining.swift",
           "other.replicas.filter { closure.devices.contains($0.value) && replicas[$0.key] == nil }.keys", "[]"),
    Mutant("a join accepts what a removed device wrote", "Membership/MembershipState+Joining.swift",
           "          && other.replicas[head.replica].map(newcomers.contains) ?? false\n", ""),
    Mutant("a join leaves the epoch in force", "Membership/MembershipState+Joining.swift",
           "    epochInForce = nil\n", ""),
    Mutant("an older membership is taken", "Membership/MembershipMemory.swift",
           "guard log.contains(head) else", "guard log.state.space == space else"),
    Mutant("the membership of another space is taken", "Membership/MembershipMemory.swift",
           "guard log.state.space == space, log.state.genesis == genesis else", "guard number >= 0 else"),
    Mutant("joins stand in one another without end", "Membership/MembershipOperation+Coding.swift",
           "guard depth < SealedLimits.joinDepth else", "guard depth < 1_000 else"),
    Mutant("heads are read in any order", "StrictReading.swift",
           "last >= head { throw", "last == head { throw"),
    Mutant("the commitment to a key is not verified", "Epochs/EpochKey.swift",
           "guard secret.count == Self.byteCount, self.commitment == commitment else",
           "guard secret.count == Self.byteCount else"),
    Mutant("HPKE is bound to no recipient", "Epochs/SealedEpochKey.swift",
           "    writer.digest(recipient.digest)\n", ""),
    Mutant("HPKE is bound to no epoch", "Epochs/SealedEpochKey.swift", "    writer.number64(number)\n", ""),
    Mutant("an earlier key is bound to no epoch", "Epochs/EarlierEpoch.swift",
           "    writer.number64(key.number)\n", ""),
    Mutant("associated data is dropped", "Content/AuthenticatedEncryption.swift",
           "try? AES.GCM.open(box, using: key, authenticating: data)",
           "try? AES.GCM.open(box, using: key)"),
    Mutant("associated data is dropped on both sides", "Content/SealedContent.swift",
           "    writer.number64(key.number)\n", ""),
    Mutant("content is bound to no place", "Content/SealedContent.swift",
           "salt: salt, info: domain.bytes + fields)", "salt: salt, info: domain.bytes)"),
    Mutant("content of one kind is content of another", "Content/SealedContent.swift",
           "    writer.raw(domain.bytes)\n", ""),
    Mutant("a key and its nonce are repeated by a cloned machine", "Content/SealedContent.swift",
           "domain.bytes + fields + ContentDigest.sha256(frame).bytes", "domain.bytes + fields"),
    Mutant("a key and its nonce are repeated for equal content", "Content/SealedContent.swift",
           "for _ in 0..<4 { writer.fixed(random.next()) }", "for _ in 0..<4 { writer.fixed(1) }"),
    Mutant("the padding is not verified", "Content/PaddedFrame.swift",
           "frame.count == paddedCount(end), frame[end...].allSatisfy({ $0 == 0 }) else", "end >= 0 else"),
    Mutant("nothing is padded", "Content/PaddedFrame.swift", "return (count + mask) & ~mask", "return count | mask & 0"),
    Mutant("content beyond the limit is opened", "Content/SealedContent.swift",
           "guard bytes.count <= byteCountLimit else", "guard bytes.count >= 0 else"),
    Mutant("a commit of a kind that older versions take voids others", "Content/SealedCommitFields.swift",
           "guard voided.isEmpty == (kind != Self.voidingKind) else", "guard voided.count >= 0 else"),
    Mutant("a block is sealed twice", "Content/SealedBlock.swift",
           "guard inner != encoding else", "guard inner >= 0 else"),
    Mutant("the signature of a head is not verified", "Signatures/SignedHead.swift",
           "return keys.verifies(signature, of: .signedHead, message)", "return keys.id == device"),
    Mutant("a head is signed for any space", "Signatures/SignedHead.swift",
           "guard space == state.space, state", "guard state"),
    Mutant("a head is signed by anyone who may write", "Membership/MembershipState.swift",
           "return role >= .writer && replicas[replica] == device", "return role >= .writer"),
    Mutant("a removal voids nothing", "Voiding/VoidDecision.swift", "case (.no, .no): return .yes", "case (.no, .no): continue"),
    Mutant("what may be below counts as below", "Voiding/VoidDecision.swift",
           "      default: isCut = .unknown\n", "      default: continue\n"),
    Mutant("unsigned commits count", "Voiding/VoidDecision.swift",
           "guard branches.contains(commit.id, in: witnesses.signed) == .yes else",
           "guard branches.contains(commit.id, in: witnesses.signed) != .unknown else"),
    Mutant("a signature of what is not here counts", "Voiding/VoidDecision.swift",
           "guard branches.contains(commit.id, in: witnesses.signed) == .yes else",
           "guard branches.contains(commit.id, in: witnesses.signed) != .no else"),
    Mutant("checkpoints protect nothing", "Voiding/VoidDecision.swift",
           "case (.yes, _), (_, .yes): continue", "case (.yes, _): continue"),
    Mutant("a later checkpoint undoes a removal", "Membership/MembershipState+Applying.swift",
           "    checkpoints[entry.hash] = heads\n",
           "    checkpoints[entry.hash] = heads\n"
           "    for hash in closures.keys { closures[hash]?.checkpoints.insert(entry.hash) }\n"),
    Mutant("an author voids the commits of others", "Voiding/VoidDecision.swift",
           "          log.state.replicas[target.replica] == log.state.replicas[voider.id.replica],\n", ""),
    Mutant("an author voids what is past", "Voiding/VoidDecision.swift",
           "let time = times[target], time > voider.time,", "times[target] != nil,"),
    Mutant("an author voids what is final", "Voiding/VoidDecision.swift",
           "          !isFinal(target, without: voider.id, checkpoints)\n", "          !checkpoints.isEmpty || true\n"),
    Mutant("a branch is taken for the chain", "Voiding/ChainBranches.swift",
           "if let parent, continued.insert(previous).inserted {", "if let parent {"),
    Mutant("the epoch of a commit is not compared", "Voiding/Witnesses.swift",
           "claim.epoch == state.epochNumber else", "claim.epoch != nil else"),
    Mutant("commits are written without an epoch in force", "Voiding/Witnesses.swift",
           "guard state.epochInForce != nil, claim", "guard claim"),
    Mutant("the role of a commit's device is not compared", "Voiding/Witnesses.swift",
           "let role = state.role(of: device), role >= .writer else", "state.devices[device] != nil else"),
    Mutant("the HMAC of a request is not verified", "Joining/JoinRequest.swift",
           "guard invitation.authenticates(code, .joinRequest, terms.bytes + signature) else",
           "guard code.count == 32 else"),
    Mutant("a new device need not have its private key", "Joining/JoinRequest.swift",
           "guard terms.keys.verifies(signature, of: .joinPossession, terms.bytes) else",
           "guard signature.count == 64 else"),
    Mutant("the history that a new device was shown is not compared", "Joining/JoinRequest.swift",
           "guard log.contains(terms.membershipHead) else", "guard log.state.space == terms.space else"),
    Mutant("the HMAC of a confirmation is not verified", "Joining/JoinConfirmation.swift",
           "guard invitation.authenticates(authenticationCode, .joinConfirmation, terms.bytes) else",
           "guard authenticationCode.count == 32 else"),
    Mutant("a confirmation for another device is taken", "Joining/JoinConfirmation.swift",
           "terms.keys == own.keys, ", ""),
    Mutant("another history than the confirmed one is taken", "Joining/JoinConfirmation.swift",
           "log.contains(terms.membershipHead)\n", "log.head != .zero\n"),
    Mutant("an invitation never ends", "Joining/OpenInvitation.swift",
           "guard !isUsed, milliseconds <= end else", "guard !isUsed else"),
    Mutant("what a purge left of another block is taken", "Purging/PurgedBlocks.swift",
           "    left.contains(PurgedBlock(block, digest: digest))\n",
           "    left.contains { $0.digest == digest }\n"),
    Mutant("what an earlier purge left is taken for what the last one did", "Purging/PurgedBlocks.swift",
           "    for block in blocks { last[block.name] = block.digest }\n  }\n\n  /// Ends",
           "    for block in blocks { last[block.name] = last[block.name] ?? block.digest }\n  }\n\n  /// Ends"),
    Mutant("a purge is below no checkpoint", "Membership/MembershipState+Applying.swift",
           "case .redact(let blocks, _): try verifyCheckpointed(blocks.map(\\.name.commit), entry)",
           "case .redact: break"),
    Mutant("others may read a key file", "Keys/FileKeyStore.swift",
           "status.st_mode & 0o077 == 0 else", "status.st_mode & 0o007 == 0 else"),
    Mutant("a symbolic link to a key file is followed", "Keys/FileKeyStore.swift",
           "O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK", "O_RDONLY | O_CLOEXEC | O_NONBLOCK"),
    Mutant("a damaged key file is read", "Keys/KeyFile.swift",
           "guard bytes.suffix(checksumByteCount).elementsEqual(digest.digest.bytes) else", "guard bytes.count > 0 else"),
    Mutant("a secret shows itself", "../VarveCore/Files/Secret.swift",
           "Mirror(self, children: [], displayStyle: .class)",
           "Mirror(self, children: [\"bytes\": Array(buffer)], displayStyle: .class)"),
    Mutant("a key of small order is taken", "Keys/PublicKeys.swift",
           "guard !Self.hasSmallOrder(signing) else", "guard signing.count == 32 else"),
    Mutant("agreement may give zero", "Keys/PublicKeys.swift", "    try verify()\n", ""),
)


def copy_sources(folder: Path) -> None:
    """Brings the copy up to date. Files that are the same keep their time, so little is compiled again."""
    for name in COPIED:
        source, copy = ROOT / name, folder / name
        wanted = {file.relative_to(source) for file in source.rglob("*") if file.is_file()}
        for file in copy.rglob("*"):
            if file.is_file() and file.relative_to(copy) not in wanted:
                file.unlink()
        for file in wanted:
            target = copy / file
            if not target.exists() or target.read_bytes() != (source / file).read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source / file, target)
    (folder / "Package.swift").write_text(MANIFEST, encoding="utf-8")


def run(folder: Path, *command: str) -> subprocess.CompletedProcess:
    return subprocess.run(["swift", *command], cwd=folder, capture_output=True, text=True, timeout=1_800)


def outcome(folder: Path, mutant: Mutant) -> str:
    """What the tests say of a mutant: caught, or why not."""
    file = folder / "Sources/VarveSealed" / mutant.file
    original = file.read_text(encoding="utf-8")
    if original.count(mutant.text) != 1:
        return f"its text stands {original.count(mutant.text)} times in {mutant.file}"
    file.write_text(original.replace(mutant.text, mutant.instead), encoding="utf-8")
    try:
        built = run(folder, "build", "--build-tests")
        if built.returncode != 0:
            errors = [line for line in built.stdout.splitlines() if "error:" in line]
            return "it does not compile: " + "; ".join(errors[:1])
        # Most mutants fail a quick test.
        for options in (("--skip", SLOW), ()):
            if run(folder, "test", "--skip-build", *options).returncode != 0:
                return "caught"
        return "no test found it"
    finally:
        file.write_text(original, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--only", default="", help="only mutants with this text in their name")
    parser.add_argument("--after", type=int, default=0, help="leave out so many mutants, in order")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        copy_sources(folder)
        if (built := run(folder, "build", "--build-tests")).returncode != 0:
            print(f"sealed-mutants: the sources do not compile:\n{built.stdout}", file=sys.stderr)
            return 1
        if (tested := run(folder, "test", "--skip-build")).returncode != 0:
            print(f"sealed-mutants: a test fails without a mutant:\n{tested.stdout[-4000:]}", file=sys.stderr)
            return 1
        missed = 0
        chosen = [mutant for mutant in MUTANTS[options.after :] if options.only in mutant.name]
        for mutant in chosen:
            found = outcome(folder, mutant)
            missed += found != "caught"
            print(f"{mutant.name}: {found}", flush=True)
    print(f"sealed-mutants: {len(chosen) - missed} of {len(chosen)} caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

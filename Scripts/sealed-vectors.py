#!/usr/bin/env python3
"""Makes and verifies the test vectors of sealed spaces, from Documentation/Security.md alone.

    sealed-vectors.py make FILE      writes a file with one of every structure
    sealed-vectors.py verify FILE    verifies such a file, whoever made it; fails at the first difference

It uses Python's `cryptography`, and nothing of Varve. HPKE is written out here, as RFC 9180 has it, and is
compared with that of the library where the library has one. The secrets in the file protect nothing.
"""
import hashlib
import hmac
import json
import sys
from math import floor, log2

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

GENESIS, ADD, REMOVE, ROLE, BIND, EPOCH, CHECKPOINT, REDACT, COMPACT, JOIN = range(1, 11)
READER, WRITER, ADMIN = 1, 2, 3
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Invalid(Exception):
    """What was read breaks the specification."""


# Encodings

def domain(text: str) -> bytes:
    return text.encode() + b"\0"


def varint(number: int) -> bytes:
    parts = bytearray()
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(parts) + bytes([number])


def eight(number: int) -> bytes:
    return number.to_bytes(8, "big")


def counted(data: bytes) -> bytes:
    return varint(len(data)) + data


def commit_id(commit: tuple) -> bytes:
    replica, number, digest = commit
    return replica + varint(number) + digest


def heads_bytes(heads: list) -> bytes:
    return varint(len(heads)) + b"".join(commit_id(head) for head in sorted(heads))


class Reader:
    def __init__(self, data: bytes):
        self.data, self.place = data, 0

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.place:
            raise Invalid("the bytes end too early")
        self.place += count
        return self.data[self.place - count : self.place]

    def byte(self) -> int:
        return self.take(1)[0]

    def eight(self) -> int:
        number = int.from_bytes(self.take(8), "big")
        if number >> 63:
            raise Invalid("a number is too large")
        return number

    def varint(self) -> int:
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                if byte == 0 and shift:
                    raise Invalid("an integer is not in shortest form")
                return number
            shift += 7

    def commit(self) -> tuple:
        return self.take(16), self.varint(), self.take(32)

    def heads(self) -> list:
        heads = [self.commit() for _ in range(self.varint())]
        if heads != sorted(set(heads)):
            raise Invalid("heads are not in rising order")
        return heads

    def optional(self, count: int) -> bytes | None:
        choice = self.byte()
        if choice > 1:
            raise Invalid("a choice is neither 0 nor 1")
        return self.take(count) if choice else None

    def end(self) -> None:
        if self.place != len(self.data):
            raise Invalid("bytes follow")


# Primitives

def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def mac(key: bytes, *parts: bytes) -> bytes:
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def hkdf(key: bytes, salt: bytes, info: bytes, length: int = 32) -> bytes:
    return expand(mac(salt or bytes(32), key), info, length)


def expand(pseudorandom: bytes, info: bytes, length: int) -> bytes:
    output, block, count = b"", b"", 1
    while len(output) < length:
        block = mac(pseudorandom, block, info, bytes([count]))
        output, count = output + block, count + 1
    return output[:length]


def aes(key: bytes, data: bytes, plaintext: bytes) -> bytes:
    return AESGCM(key).encrypt(bytes(12), plaintext, data)


def aes_open(key: bytes, data: bytes, sealed: bytes) -> bytes:
    try:
        return AESGCM(key).decrypt(bytes(12), sealed, data)
    except InvalidTag:
        raise Invalid("a tag is another") from None


def public_key(private: Ed25519PrivateKey | X25519PrivateKey) -> bytes:
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def agree(secret: bytes, public: bytes) -> bytes:
    try:
        return X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise Invalid("an agreement gives zero") from None


class HPKE:
    """RFC 9180, base mode: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM."""

    KEM = b"KEM" + (0x0020).to_bytes(2, "big")
    SUITE = b"HPKE" + b"".join(part.to_bytes(2, "big") for part in (0x0020, 0x0001, 0x0002))

    @staticmethod
    def extract(suite: bytes, salt: bytes, label: bytes, material: bytes) -> bytes:
        return mac(salt or bytes(32), b"HPKE-v1", suite, label, material)

    @staticmethod
    def labelled(suite: bytes, key: bytes, label: bytes, info: bytes, length: int) -> bytes:
        return expand(key, length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info, length)

    @classmethod
    def context(cls, shared: bytes, encapsulated: bytes, recipient: bytes, info: bytes) -> tuple[bytes, bytes]:
        material = cls.extract(cls.KEM, b"", b"eae_prk", shared)
        secret = cls.labelled(cls.KEM, material, b"shared_secret", encapsulated + recipient, 32)
        schedule = b"\0" + cls.extract(cls.SUITE, b"", b"psk_id_hash", b"")
        schedule += cls.extract(cls.SUITE, b"", b"info_hash", info)
        key = cls.extract(cls.SUITE, secret, b"secret", b"")
        return (
            cls.labelled(cls.SUITE, key, b"key", schedule, 32),
            cls.labelled(cls.SUITE, key, b"base_nonce", schedule, 12),
        )

    @classmethod
    def seal(cls, ephemeral: bytes, recipient: bytes, info: bytes, plaintext: bytes) -> bytes:
        encapsulated = public_key(X25519PrivateKey.from_private_bytes(ephemeral))
        key, nonce = cls.context(agree(ephemeral, recipient), encapsulated, recipient, info)
        return encapsulated + AESGCM(key).encrypt(nonce, plaintext, b"")

    @classmethod
    def open(cls, secret: bytes, info: bytes, sealed: bytes) -> bytes:
        own = public_key(X25519PrivateKey.from_private_bytes(secret))
        key, nonce = cls.context(agree(secret, sealed[:32]), sealed[:32], own, info)
        try:
            opened = AESGCM(key).decrypt(nonce, sealed[32:], b"")
        except InvalidTag:
            raise Invalid("a sealed epoch key was sealed to another, or for another epoch") from None
        cls.compare(secret, info, sealed, opened)
        return opened

    @staticmethod
    def compare(secret: bytes, info: bytes, sealed: bytes, opened: bytes) -> None:
        try:
            from cryptography.hazmat.primitives import hpke
        except ImportError:
            return
        suite = hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)
        key = X25519PrivateKey.from_private_bytes(secret)
        assert suite.decrypt(sealed, key, info=info) == opened, "the HPKE of the library gives another key"


# Devices

def printed(data: bytes) -> str:
    number, count = int.from_bytes(data, "big"), len(data) * 8 // 5
    text = "".join(DIGITS[number >> 5 * (count - 1 - index) & 31] for index in range(count))
    return "-".join(text[index : index + 4] for index in range(0, count, 4))


def unprinted(text: str) -> bytes:
    digits = text.upper().replace("-", "").replace(" ", "").translate(str.maketrans("OIL", "011"))
    number = 0
    for digit in digits:
        number = number << 5 | DIGITS.index(digit)
    return number.to_bytes(len(digits) * 5 // 8, "big")


class Device:
    def __init__(self, seed: bytes, secret: bytes):
        self.seed, self.secret = seed, secret
        self.signing = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = public_key(self.signing)
        self.public += public_key(X25519PrivateKey.from_private_bytes(secret))
        self.id = device_id(self.public)

    @classmethod
    def recovery(cls, seed: bytes) -> "Device":
        return cls(
            hkdf(seed, b"", domain("varve recovery signing 1")),
            hkdf(seed, b"", domain("varve recovery agreement 1")),
        )

    def sign(self, purpose: str, message: bytes) -> bytes:
        return self.signing.sign(domain(purpose) + message)


def device_id(public: bytes) -> bytes:
    return sha256(domain("varve device 1"), public)


def verify_signature(public: bytes, purpose: str, message: bytes, signature: bytes) -> None:
    try:
        Ed25519PublicKey.from_public_bytes(public[:32]).verify(signature, domain(purpose) + message)
    except InvalidSignature:
        raise Invalid(f"a signature of “{purpose}” is not valid") from None


def recovery_text(seed: bytes) -> str:
    return printed(seed + sha256(domain("varve recovery key 1"), seed)[:3])


def key_file(secret: bytes) -> bytes:
    contents = domain("varve key file 1") + counted(secret)
    return contents + sha256(contents)


# Epochs

def commitment(space: bytes, number: int, key: bytes) -> bytes:
    return sha256(domain("varve epoch commitment 1"), space, eight(number), key)


def epoch_info(space: bytes, number: int, recipient: bytes) -> bytes:
    return domain("varve epoch key 1") + space + eight(number) + recipient


def earlier_data(space: bytes, number: int, earlier: bytes) -> bytes:
    return domain("varve earlier epoch 1") + space + eight(number) + earlier


# Sealed content

def padded_length(length: int) -> int:
    exponent = floor(log2(length))
    mask = (1 << exponent - floor(log2(exponent)) - 1) - 1
    return length + mask & ~mask


def framed(plaintext: bytes) -> bytes:
    frame = len(plaintext).to_bytes(4, "big") + plaintext
    return frame + bytes(padded_length(len(frame)) - len(frame))


def seal(key: bytes, number: int, purpose: str, fields: bytes, plaintext: bytes, random: bytes) -> bytes:
    return seal_frame(key, number, purpose, fields, framed(plaintext), random)


def seal_frame(key: bytes, number: int, purpose: str, fields: bytes, frame: bytes, random: bytes) -> bytes:
    place = domain(purpose) + fields
    salt = hkdf(key, random, domain("varve sealing salt 1") + place + sha256(frame))
    return salt + aes(hkdf(key, salt, place), place + eight(number), frame)


def unseal(key: bytes, number: int, purpose: str, fields: bytes, sealed: bytes) -> bytes:
    place = domain(purpose) + fields
    frame = aes_open(hkdf(key, sealed[:32], place), place + eight(number), sealed[32:])
    plaintext = frame[4 : 4 + int.from_bytes(frame[:4], "big")]
    if framed(plaintext) != frame:
        raise Invalid("the padding is another")
    return plaintext


# The membership log

class Entry:
    def __init__(self, reader: Reader):
        self.body = reader.take(reader.varint())
        self.signature = reader.take(64)
        self.hash = sha256(domain("varve membership entry 1"), self.body)
        body = Reader(self.body)
        if body.byte() != 1:
            raise Invalid("an entry has another version")
        self.kind, self.space, self.number = body.byte(), body.take(16), body.eight()
        self.previous, self.signer, self.time = body.take(32), body.take(32), body.eight()
        self.content = getattr(self, f"read_{self.kind}")(body)
        body.end()

    def read_1(self, body: Reader) -> dict:
        return {"mode": body.byte(), "creator": body.take(64), "recovery": body.take(64)}

    def read_2(self, body: Reader) -> dict:
        return {"public": body.take(64), "role": body.byte(), "invitation": body.optional(16), "key": body.optional(80)}

    def read_3(self, body: Reader) -> dict:
        return {"device": body.take(32), "heads": body.heads()}

    def read_4(self, body: Reader) -> dict:
        return {"device": body.take(32), "role": body.byte(), "heads": body.heads()}

    def read_5(self, body: Reader) -> dict:
        return {"replica": body.take(16)}

    def read_6(self, body: Reader) -> dict:
        content = {"number": body.eight(), "commitment": body.take(32)}
        content["earlier"] = [(body.take(32), body.take(48)) for _ in range(body.varint())]
        content["recipients"] = [(body.take(32), body.take(80)) for _ in range(body.varint())]
        return content

    def read_7(self, body: Reader) -> dict:
        return {"heads": body.heads()}

    def read_8(self, body: Reader) -> dict:
        blocks = [(body.commit(), body.varint(), body.take(32)) for _ in range(body.varint())]
        return {"blocks": blocks, "sealed": body.take(body.varint())}

    def read_9(self, body: Reader) -> dict:
        return {"time": body.take(8), "heads": body.heads()}

    def read_10(self, body: Reader) -> dict:
        content = {"after": body.eight(), "heads": body.heads()}
        content["branch"] = [Entry(body) for _ in range(body.varint())]
        return content


class State:
    """Who may do what after an entry."""

    def __init__(self, entry: Entry):
        if entry.kind != GENESIS or entry.number or any(entry.previous):
            raise Invalid("a log does not begin with its genesis")
        self.space, self.mode, self.genesis = entry.space, entry.content["mode"], entry.hash
        self.recovery = entry.content["recovery"]
        creator = entry.content["creator"]
        self.public = {device_id(creator): creator, device_id(self.recovery): self.recovery}
        self.roles = {device_id(creator): ADMIN}
        self.replicas, self.invitations = {}, set()
        self.epoch, self.in_force, self.commitments, self.ends = 0, None, set(), set()
        self.closures, self.checkpoints = {}, {}
        verify_signature(creator, "varve membership signature 1", entry.body, entry.signature)

    def copy(self) -> "State":
        other = object.__new__(State)
        for name, value in vars(self).items():
            setattr(other, name, value.copy() if isinstance(value, (dict, set)) else value)
        return other

    def is_admin(self, device: bytes) -> bool:
        return device == device_id(self.recovery) or self.roles.get(device) == ADMIN

    def require(self, holds: bool, why: str) -> None:
        if not holds:
            raise Invalid(why)

    def apply(self, entry: Entry, line: list) -> list:
        """Verifies an entry and applies it; the (entry, state) pairs of a branch that it joins."""
        self.require(entry.space == self.space, "an entry is of another space")
        self.require(entry.previous == line[-1].hash and entry.number == len(line), "an entry does not follow")
        self.require(entry.signer in self.public, "a signer is unknown")
        verify_signature(self.public[entry.signer], "varve membership signature 1", entry.body, entry.signature)
        content = entry.content
        if entry.kind == BIND:
            self.require(self.roles.get(entry.signer) in (WRITER, ADMIN), "a replica is bound by a reader")
        elif entry.kind == JOIN:
            self.require(entry.signer == device_id(self.recovery), "a join needs the recovery key")
        else:
            self.require(self.is_admin(entry.signer), "a signer is no admin")
        return {
            ADD: self.add, REMOVE: self.remove, ROLE: self.change, BIND: self.bind, EPOCH: self.begin,
            CHECKPOINT: self.note, REDACT: self.name_blocks, COMPACT: self.fold, JOIN: self.join,
        }[entry.kind](entry, content, line) or []

    def add(self, entry, content, _):
        device = device_id(content["public"])
        self.require(device not in self.public, "a device is added twice")
        self.require(content["invitation"] not in self.invitations, "an invitation is used twice")
        self.require((content["key"] is None) == (self.in_force is None), "the key of the epoch is missing")
        self.public[device], self.roles[device] = content["public"], content["role"]
        if content["invitation"]:
            self.invitations.add(content["invitation"])

    def close(self, entry, content):
        device = content["device"]
        own = {replica for replica, owner in self.replicas.items() if owner == device}
        self.require(all(head[0] in own for head in content["heads"]), "an accepted head is of another device")
        self.closures[entry.hash] = ({device}, own, content["heads"], set(self.checkpoints))

    def remove(self, entry, content, _):
        self.require(self.roles.get(content["device"]) is not None, "no such device")
        self.close(entry, content)
        self.roles[content["device"]], self.in_force = None, None

    def change(self, entry, content, _):
        former = self.roles.get(content["device"])
        self.require(former not in (None, content["role"]), "a role does not change")
        if content["role"] == READER:
            self.close(entry, content)
        else:
            self.require(not content["heads"], "heads of a device that may still write")
        self.roles[content["device"]] = content["role"]

    def bind(self, entry, content, _):
        self.require(content["replica"] not in self.replicas, "a replica is bound twice")
        self.replicas[content["replica"]] = entry.signer

    def begin(self, _, content, __):
        recipients = sorted([d for d, role in self.roles.items() if role is not None] + [device_id(self.recovery)])
        self.require(content["number"] == self.epoch + 1, "an epoch has another number")
        self.require(content["commitment"] not in self.commitments, "a key is used again")
        self.require([part[0] for part in content["earlier"]] == sorted(self.ends), "other earlier epochs")
        self.require([part[0] for part in content["recipients"]] == recipients, "other recipients")
        self.epoch, self.in_force = content["number"], content["commitment"]
        self.commitments.add(self.in_force)
        self.ends = {self.in_force}

    def note(self, entry, content, _):
        self.require(all(head[0] in self.replicas for head in content["heads"]), "a head is bound to nobody")
        self.checkpoints[entry.hash] = content["heads"]

    def require_checkpointed(self, commits):
        for replica, number, _ in commits:
            heads = [head for checkpoint in self.checkpoints.values() for head in checkpoint]
            self.require(any(head[0] == replica and head[1] >= number for head in heads), "below no checkpoint")

    def name_blocks(self, _, content, __):
        self.require_checkpointed(block[0] for block in content["blocks"])

    def fold(self, _, content, __):
        self.require_checkpointed(content["heads"])

    def join(self, entry, content, line):
        after = content["after"]
        self.require(after + 1 < len(line) and content["branch"], "no other branch")
        self.require(content["branch"][0].hash != line[after + 1].hash, "no other branch")
        states = replay(line[: after + 1] + content["branch"])[after + 1 :]
        self.unite(entry, content["heads"], states[-1][1])
        return states

    def unite(self, entry, accepted, other):
        added = set(other.roles) - set(self.roles)
        for head in accepted:
            owner = None if head[0] in self.replicas else other.replicas.get(head[0])
            self.require(owner in added, "an accepted head is not of a device that the branch added")
        for known, branch in ((self, other), (other, self)):
            bound = {replica: owner for replica, owner in branch.replicas.items() if replica not in known.replicas}
            for name in known.closures.keys() - branch.closures.keys():
                devices, replicas, heads, checkpoints = known.closures[name]
                more = {replica for replica, owner in bound.items() if owner in devices}
                known.closures[name] = (devices, replicas | more, heads, checkpoints)
        self.closures = other.closures | self.closures
        for device, role in other.roles.items():
            own = self.roles.get(device)
            self.roles[device] = None if None in (own, role) else min(own, role)
        self.public.update(other.public)
        self.checkpoints = other.checkpoints | self.checkpoints
        self.replicas = other.replicas | self.replicas
        if added:
            theirs = {replica for replica, owner in self.replicas.items() if owner in added}
            self.closures[entry.hash] = (added, theirs, accepted, set())
        self.invitations |= other.invitations
        self.commitments |= other.commitments
        self.ends |= other.ends
        self.epoch, self.in_force = max(self.epoch, other.epoch), None


def replay(line: list) -> list:
    """Every entry with the state after it, those of joined branches included."""
    state = State(line[0])
    states = [(line[0], state.copy())]
    for index in range(1, len(line)):
        states += state.apply(line[index], line[:index])
        states.append((line[index], state.copy()))
    return states


def read_log(data: bytes) -> list:
    reader, entries = Reader(data), []
    while reader.place < len(data):
        entries.append(Entry(reader))
    return entries


def epoch_keys(states: list, device: Device) -> dict:
    """The keys that a device reads, by commitment."""
    epochs = {entry.content["commitment"]: entry.content for entry, _ in states if entry.kind == EPOCH}
    keys = {}
    for entry, state in states:
        sealed = None
        if entry.kind == EPOCH:
            sealed = dict(entry.content["recipients"]).get(device.id)
        elif entry.kind == ADD and entry.content["public"] == device.public:
            sealed = entry.content["key"]
        if sealed:
            key = HPKE.open(device.secret, epoch_info(state.space, state.epoch, device.id), sealed)
            keys[state.in_force] = check_key(state.space, state.epoch, state.in_force, key)
    pending = list(keys)
    while pending:
        later = pending.pop()
        number = epochs[later]["number"]
        for earlier, sealed in epochs[later]["earlier"]:
            data = earlier_data(states[0][1].space, number, earlier)
            key = aes_open(hkdf(keys[later], b"", data), data, sealed)
            check_key(states[0][1].space, epochs[earlier]["number"], earlier, key)
            if earlier not in keys:
                keys[earlier] = key
                pending.append(earlier)
    return keys


def check_key(space: bytes, number: int, expected: bytes, key: bytes) -> bytes:
    if commitment(space, number, key) != expected:
        raise Invalid("a key is not the one that the log commits to")
    return key


# Signed heads, void commits

def signed_head(device: Device, space: bytes, membership: bytes, commit: tuple) -> bytes:
    message = b"\1" + space + device.id + membership + commit_id(commit)
    return message + device.sign("varve signed head 1", message)


def read_signed_head(data: bytes) -> dict:
    reader = Reader(data)
    if reader.byte() != 1:
        raise Invalid("a signed head has another version")
    head = {"space": reader.take(16), "device": reader.take(32), "membership": reader.take(32)}
    head["commit"], head["message"] = reader.commit(), data[: reader.place]
    head["signature"] = reader.take(64)
    reader.end()
    return head


def head_is_valid(head: dict, state: State) -> bool:
    try:
        verify_signature(state.public[head["device"]], "varve signed head 1", head["message"], head["signature"])
    except (Invalid, KeyError):
        return False
    return (
        head["space"] == state.space
        and state.roles.get(head["device"]) in (WRITER, ADMIN)
        and state.replicas.get(head["commit"][0]) == head["device"]
    )


def below(commit: dict, heads: list, commits: dict) -> str:
    """Whether a commit is at or below a head: yes, no, or unknown as long as something is not here."""
    answer = "no"
    for head in heads:
        if head[0] != commit["id"][0]:
            continue
        missing = head[1] - 1
        while head in commits:
            if head == commit["id"]:
                return "yes"
            missing = head[1] - 1
            head = (head[0], head[1] - 1, commits[head]["previous"])
        if commit["id"][1] <= missing and head[1] > 0:
            answer = "unknown"
    return answer


def verdicts(states: list, commits: list, heads: list) -> dict:
    """The verdict of each commit of a sealed space, rule by rule and without any index."""
    by_id = {commit["id"]: commit for commit in commits}
    final = states[-1][1]
    at = {entry.hash: state for entry, state in states}
    valid = [head for head in heads if head["membership"] in at and head_is_valid(head, at[head["membership"]])]
    found = {}
    for commit in commits:
        found[commit["id"]] = verdict(commit, by_id, final, at, valid)
    for voider in sorted(commits, key=lambda commit: (commit["time"], commit["id"])):
        for target in voider["voided"]:
            if found[voider["id"]] != "accepted" or found.get(target) != "accepted":
                continue
            own = final.replicas[target[0]] == final.replicas[voider["id"][0]]
            is_final = any(
                below(by_id[target], heads, by_id) != "no" and below(voider, heads, by_id) != "yes"
                for heads in final.checkpoints.values()
            )
            if own and by_id[target]["time"] > voider["time"] and not is_final:
                found[target] = "void: author"
    return found


def verdict(commit: dict, by_id: dict, final: State, at: dict, valid: list) -> str:
    replica = commit["id"][0]
    if commit["content"] == "newer":
        return "waiting: newerFormat"
    if replica not in final.replicas:
        return "waiting: binding"
    is_uncertain = False
    for _, replicas, accepted, checkpoints in final.closures.values():
        if replica not in replicas:
            continue
        kept = accepted + [head for name in checkpoints for head in final.checkpoints[name]]
        answer = below(commit, kept, by_id)
        if answer == "no":
            return "void: removal"
        is_uncertain |= answer == "unknown"
    if is_uncertain:
        return "waiting: acceptedHead"
    signed = [head["commit"] for head in valid if head["device"] == final.replicas[replica]]
    if below(commit, signed, by_id) != "yes":
        return "waiting: signature"
    if commit["membership"] is None:
        return "void: role"
    if commit["membership"] not in at:
        return "waiting: membership"
    state = at[commit["membership"]]
    if state.roles.get(final.replicas[replica]) not in (WRITER, ADMIN):
        return "void: role"
    if state.in_force is None or commit["epoch"] != state.epoch:
        return "void: epoch"
    return "accepted" if commit["content"] == "valid" else "void: content"


# Invitations

class Invitation:
    def __init__(self, data: bytes):
        self.data, self.role = data, data[0]
        self.id = hkdf(data, b"", domain("varve invitation id 1"))[:16]
        self.key = hkdf(data, b"", domain("varve invitation key 1"))
        self.code = printed(data + sha256(domain("varve invitation 1"), data)[:3])

    def terms(self, space: bytes, genesis: bytes, head: bytes, public: bytes) -> bytes:
        return b"\1" + self.id + space + genesis + head + public + bytes([self.role])

    def request(self, terms: bytes, device: Device) -> bytes:
        signed = terms + device.sign("varve join possession 1", terms)
        return signed + mac(self.key, domain("varve join request 1"), signed)

    def confirmation(self, terms: bytes) -> bytes:
        return terms + mac(self.key, domain("varve join confirmation 1"), terms)


def commit_header(fields: dict) -> bytes:
    """The header of a sealed commit as Documentation/Formats.md has it, without author and message."""
    header = b"\1" + bytes([fields["kind"]]) + fields["replica"] + varint(fields["number"])
    header += fields["time"] + fields["previous"] + varint(0) + varint(0) + varint(0)
    header += varint(1) + varint(1) + fields["blocks"] + b"\0"
    extensions = [(1, b"\1" + eight(fields["epoch"]) + fields["author"]), (6, fields["membership"])]
    if fields["voided"]:
        extensions.append((8, heads_bytes(fields["voided"])))
    header += varint(len(extensions))
    return header + b"".join(varint(number) + counted(data) for number, data in extensions)


# Making

def fixed(label: str, count: int = 32) -> bytes:
    """Bytes that are the same in every run, for the secrets of the test vectors."""
    return expand(sha256(b"varve test vector"), label.encode(), count)


class Author:
    """Signs entries of a log, and knows its epoch keys."""

    def __init__(self, space: bytes, entries: list, states: list):
        self.space, self.line, self.keys = space, entries, {}
        self.states = states

    @classmethod
    def found(cls, space: bytes, creator: Device, recovery: Device) -> "Author":
        log = cls(space, [], [])
        log.append(creator, GENESIS, b"\2" + creator.public + recovery.public)
        return log

    @property
    def state(self) -> State:
        return self.states[-1][1]

    @property
    def head(self) -> bytes:
        return self.line[-1].hash if self.line else bytes(32)

    def branch(self) -> "Author":
        log = Author(self.space, list(self.line), list(self.states))
        log.keys = dict(self.keys)
        return log

    def append(self, signer: Device, kind: int, content: bytes) -> Entry:
        body = b"\1" + bytes([kind]) + self.space + eight(len(self.line)) + self.head + signer.id
        body += eight(1_790_000_000_000 + len(self.line)) + content
        entry = Entry(Reader(counted(body) + signer.sign("varve membership signature 1", body)))
        self.line.append(entry)
        self.states = replay(self.line)
        return entry

    def begin_epoch(self, admin: Device) -> bytes:
        number = self.state.epoch + 1
        key = fixed(f"epoch {number} of {self.head.hex()}")
        name = commitment(self.space, number, key)
        content = eight(number) + name + varint(len(self.state.ends))
        for earlier in sorted(self.state.ends):
            data = earlier_data(self.space, number, earlier)
            content += earlier + aes(hkdf(key, b"", data), data, self.keys[earlier])
        recipients = [d for d, role in self.state.roles.items() if role] + [device_id(self.state.recovery)]
        content += varint(len(recipients))
        for device in sorted(recipients):
            content += device + self.sealed(number, key, device)
        self.keys[name] = key
        self.append(admin, EPOCH, content)
        return key

    def sealed(self, number: int, key: bytes, device: bytes, public: bytes | None = None) -> bytes:
        agreement = (public or self.state.public[device])[32:]
        ephemeral = fixed(f"ephemeral {number} {device.hex()} {len(self.line)}")
        return HPKE.seal(ephemeral, agreement, epoch_info(self.space, number, device), key)

    def add(self, admin: Device, device: Device, role: int, invitation: bytes | None = None) -> Entry:
        content = device.public + bytes([role]) + (b"\1" + invitation if invitation else b"\0")
        if self.state.in_force:
            key = self.keys[self.state.in_force]
            content += b"\1" + self.sealed(self.state.epoch, key, device.id, device.public)
        else:
            content += b"\0"
        return self.append(admin, ADD, content)

    def encoded(self) -> bytes:
        return encoded(self.line)


def encoded(line: list) -> bytes:
    return b"".join(counted(entry.body) + entry.signature for entry in line)


def make() -> dict:
    names = ("ana", "ben", "eve", "guest")
    ana, ben, eve, guest = (Device(fixed(f"{name} signs"), fixed(f"{name} agrees")) for name in names)
    seed = fixed("recovery")
    recovery = Device.recovery(seed)
    space = fixed("space", 16)
    replicas = {name: fixed(f"replica of {name}", 16) for name in (*names, "ben again", "eve again")}
    invitation = Invitation(bytes([WRITER]) + fixed("invitation", 16))

    log = Author.found(space, ana, recovery)
    log.begin_epoch(ana)
    shown = log.head
    request = invitation.request(invitation.terms(space, log.line[0].hash, shown, ben.public), ben)
    log.add(ana, ben, WRITER, invitation.id)
    confirmation = invitation.confirmation(invitation.terms(space, log.line[0].hash, log.head, ben.public))
    log.add(ana, eve, ADMIN)
    for device, name in ((ana, "ana"), (ben, "ben"), (eve, "eve")):
        log.append(device, BIND, replicas[name])
    written = log.head

    commits = [made_commit(replicas["ana"], written, 1, index) for index in range(1, 5)]
    commits += [made_commit(replicas["eve"], written, 1, index) for index in range(1, 7)]
    commits += [made_commit(replicas["ben"], written, 1, index, 9_000) for index in range(1, 4)]
    chain(commits)
    ids = {(commit["id"][0], commit["id"][1]): commit["id"] for commit in commits}
    log.append(ana, CHECKPOINT, heads_bytes([ids[replicas["ana"], 2], ids[replicas["eve"], 4]]))
    redaction = made_redaction(log, ana, (ids[replicas["ana"], 2], 0))
    log.append(ana, COMPACT, eight(1_790_000_000_000 << 16) + heads_bytes([ids[replicas["ana"], 1]]))

    other = log.branch()
    log.append(ana, REMOVE, eve.id + heads_bytes([ids[replicas["eve"], 2]]))
    log.begin_epoch(ana)
    # In the other branch Eve, who was removed in the first, adds a device, and writes as another replica.
    other.append(eve, ROLE, ben.id + bytes([READER]) + heads_bytes([ids[replicas["ben"], 2]]))
    other.add(eve, guest, ADMIN)
    other.append(guest, BIND, replicas["guest"])
    other.append(eve, BIND, replicas["eve again"])
    other.begin_epoch(eve)
    for name in ("guest", "eve again"):
        commits += [made_commit(replicas[name], other.head, other.state.epoch, index) for index in range(1, 3)]
    chain(commits)
    ids = {(commit["id"][0], commit["id"][1]): commit["id"] for commit in commits}
    other.append(eve, CHECKPOINT, heads_bytes([ids[replicas["eve"], 6], ids[replicas["eve again"], 2]]))
    log.keys |= other.keys
    common = len(log.line) - 3
    branch = other.line[common + 1 :]
    accepted = heads_bytes([ids[replicas["guest"], 1]])
    log.append(recovery, JOIN, eight(common) + accepted + varint(len(branch)) + encoded(branch))
    log.begin_epoch(ana)
    log.append(ana, ROLE, ben.id + bytes([WRITER]) + heads_bytes([]))
    log.append(ben, BIND, replicas["ben again"])

    voided = [ids[replicas["ben"], 2]]
    voider = made_commit(replicas["ben again"], log.head, log.state.epoch, 1, voided=voided)
    commits += [voider, made_commit(replicas["ana"], written, 2, 5, previous=ids[replicas["ana"], 4][2])]
    heads = [
        signed_head(ana, space, written, commits[-1]["id"]),
        signed_head(ben, space, written, ids[replicas["ben"], 3]),
        signed_head(ben, space, log.head, voider["id"]),
        signed_head(eve, space, written, ids[replicas["eve"], 6]),
        signed_head(eve, space, other.head, ids[replicas["eve again"], 2]),
        signed_head(guest, space, other.head, ids[replicas["guest"], 2]),
    ]
    key = log.keys[log.states[1][1].in_force]
    return {
        "comment": "Made by Scripts/sealed-vectors.py. These secrets protect nothing.",
        "space": space.hex(),
        "devices": [device_vector(device) for device in (ana, ben, eve)],
        "recovery": {"seed": seed.hex(), "printed": recovery_text(seed), "public": recovery.public.hex()},
        "keyFile": {"secret": fixed("kept", 40).hex(), "contents": key_file(fixed("kept", 40)).hex()},
        "padding": [[length, padded_length(length)] for length in (4, 5, 9, 100, 1_000, 1_025, 70_000, 8 << 20)],
        "log": log.encoded().hex(),
        "hashes": [entry.hash.hex() for entry, _ in replay(log.line)],
        "epochs": [
            {"number": entry.content["number"], "key": log.keys[name].hex(), "commitment": name.hex()}
            for entry, _ in replay(log.line)
            if entry.kind == EPOCH
            for name in [entry.content["commitment"]]
        ],
        "block": sealed_vector(
            key, "varve sealed block 1", space, replicas["ana"], 7, 300, b"\0" + fixed("block", 700)
        ),
        "malformed": malformed_blocks(key, space, replicas["ana"], 7, 300),
        "author": author_vector(key, space, replicas["ana"], 7),
        "redaction": redaction,
        "header": header_vector(key, space, replicas["ana"], written, voided),
        "invitation": {
            "secret": invitation.data.hex(), "code": invitation.code, "id": invitation.id.hex(),
            "device": 1, "shown": shown.hex(), "request": request.hex(), "confirmation": confirmation.hex(),
        },
        "heads": [head.hex() for head in heads],
        "commits": commit_vectors(replay(log.line), commits, heads),
    }


def device_vector(device: Device) -> dict:
    return {
        "seed": device.seed.hex(), "agreement": device.secret.hex(), "public": device.public.hex(),
        "id": device.id.hex(),
    }


def made_commit(replica, membership, epoch, number, later=0, voided=(), previous=bytes(32)) -> dict:
    name = sha256(replica, eight(number), eight(epoch))
    return {
        "id": (replica, number, name), "previous": previous, "time": (1_790_000_000_000 + number + later) << 16,
        "membership": membership, "epoch": epoch, "voided": list(voided), "content": "valid",
    }


def chain(commits: list) -> None:
    """Makes each commit the previous one of the next of its replica."""
    newest = {}
    for commit in commits:
        replica, _, name = commit["id"]
        commit["previous"] = newest.get(replica, bytes(32))
        newest[replica] = name


def sealed_vector(key, purpose, space, replica, number, index, plaintext) -> dict:
    fields = space + replica + eight(number) + (eight(index) if index is not None else b"")
    random = fixed(purpose)
    sealed = seal(key, 1, purpose, fields, plaintext, random)
    vector = {
        "key": key.hex(), "epoch": 1, "replica": replica.hex(), "sequence": number, "random": random.hex(),
        "plaintext": plaintext.hex(), "sealed": sealed.hex(),
    }
    return vector if index is None else vector | {"index": index, "sealed": (b"\2" + sealed).hex()}


def malformed_blocks(key: bytes, space: bytes, replica: bytes, number: int, index: int) -> list[str]:
    """Blocks that a member sealed with another padding, at the place of the block of the test vectors."""
    frame = framed(b"\0" + bytes(100))
    frames = [frame[:-1] + b"\1", frame + b"\0", frame[:105], b"\xff" + frame[1:], frame[:4]]
    fields, purpose = space + replica + eight(number) + eight(index), "varve sealed block 1"
    return [(b"\2" + seal_frame(key, 1, purpose, fields, frame, fixed("malformed"))).hex() for frame in frames]


def author_vector(key: bytes, space: bytes, replica: bytes, number: int) -> dict:
    texts = ["Ana", "the first hats of the season 🎩"]
    plaintext = b"".join(counted(text.encode()) for text in texts)
    vector = sealed_vector(key, "varve sealed header 1", space, replica, number, None, plaintext)
    return vector | {"author": texts[0], "message": texts[1]}


def made_redaction(log: Author, admin: Device, block: tuple) -> dict:
    fields = log.space + eight(len(log.line)) + log.head
    key, random, plaintext = log.keys[log.state.in_force], fixed("redaction"), bytes.fromhex("01") + commit_id(block[0])
    sealed = seal(key, log.state.epoch, "varve sealed redaction 1", fields, plaintext, random)
    vector = {
        "number": len(log.line), "previous": log.head.hex(), "epoch": log.state.epoch, "key": key.hex(),
        "random": random.hex(), "plaintext": plaintext.hex(), "sealed": sealed.hex(),
    }
    left = sha256(b"\2", seal(key, 1, "varve sealed block 1", log.space, b"\0rest", fixed("again")))
    named = varint(1) + commit_id(block[0]) + varint(block[1]) + left
    entry = log.append(admin, REDACT, named + counted(sealed))
    return vector | {"entry": entry.hash.hex(), "left": left.hex()}


def header_vector(key: bytes, space: bytes, replica: bytes, membership: bytes, voided: list) -> dict:
    author = bytes.fromhex(author_vector(key, space, replica, 7)["sealed"])
    fields = {
        "kind": 2, "replica": replica, "number": 7, "time": eight(1_790_000_000_000 << 16),
        "previous": sha256(b"previous"), "blocks": sha256(b"blocks"), "epoch": 1, "author": author,
        "membership": membership, "voided": voided,
    }
    header = commit_header(fields)
    return {
        "kind": 2, "replica": replica.hex(), "sequence": 7, "time": 1_790_000_000_000 << 16,
        "previous": fields["previous"].hex(), "blocks": fields["blocks"].hex(), "epoch": 1,
        "author": author.hex(), "membership": membership.hex(), "voided": [commit_id(c).hex() for c in voided],
        "header": header.hex(), "hash": sha256(b"varve commit 1\0", header).hex(),
    }


def commit_vectors(states: list, commits: list, heads: list) -> list:
    found = verdicts(states, commits, [read_signed_head(head) for head in heads])
    return [
        {
            "id": commit_id(commit["id"]).hex(), "previous": commit["previous"].hex(), "time": commit["time"],
            "membership": commit["membership"] and commit["membership"].hex(), "epoch": commit["epoch"],
            "voided": [commit_id(other).hex() for other in commit["voided"]], "content": commit["content"],
            "verdict": found[commit["id"]],
        }
        for commit in commits
    ]


# Verifying

def same(found, expected, what: str) -> None:
    if found != expected:
        raise Invalid(f"{what}: {found!r} instead of {expected!r}")


def verify(file: dict) -> list[str]:
    """Verifies every part of a file; what was verified."""
    raw = bytes.fromhex
    space = raw(file["space"])
    devices = [Device(raw(device["seed"]), raw(device["agreement"])) for device in file["devices"]]
    for device, stated in zip(devices, file["devices"]):
        same(device.public.hex(), stated["public"], "public keys")
        same(device.id.hex(), stated["id"], "a DeviceID")
    recovery = verify_recovery(file["recovery"])
    same(key_file(raw(file["keyFile"]["secret"])).hex(), file["keyFile"]["contents"], "a key file")
    for length, padded in file["padding"]:
        same(padded_length(length), padded, f"the padded length of {length}")
    line = read_log(raw(file["log"]))
    same(encoded(line).hex(), file["log"], "the encoding of a log")
    states = replay(line)
    same([entry.hash.hex() for entry, _ in states], file["hashes"], "the hashes of entries")
    verify_epochs(file, states, [*devices, recovery])
    verify_sealed(file, space, states)
    verify_joining(file["invitation"], space, states, devices)
    commits = [read_commit(commit) for commit in file["commits"]]
    stated = [commit["verdict"] for commit in file["commits"]]
    found = [commit["verdict"] for commit in commit_vectors(states, commits, [raw(head) for head in file["heads"]])]
    same(found, stated, "verdicts")
    histories = file.get("histories", [])
    for number, history in enumerate(histories):
        verify_history(history, number)
    counts = {"entries": states, "epochs": file["epochs"], "commits": commits, "histories": histories}
    return [f"{len(parts)} {name}" for name, parts in counts.items()]


def verify_history(stated: dict, number: int) -> None:
    """Compares the verdicts of a random history."""
    states = replay(read_log(bytes.fromhex(stated["log"])))
    commits = [read_commit(commit) for commit in stated["commits"]]
    heads = [read_signed_head(bytes.fromhex(head)) for head in stated["heads"]]
    found = verdicts(states, commits, heads)
    for commit, other in zip(commits, stated["commits"]):
        same(found[commit["id"]], other["verdict"], f"history {number}, commit {other['id']}")


def verify_recovery(stated: dict) -> Device:
    seed = bytes.fromhex(stated["seed"])
    same(recovery_text(seed), stated["printed"], "a printed recovery key")
    same(unprinted(stated["printed"])[:32], seed, "a recovery key that was typed")
    recovery = Device.recovery(seed)
    same(recovery.public.hex(), stated["public"], "the public keys of a recovery key")
    return recovery


def verify_epochs(file: dict, states: list, devices: list) -> None:
    stated = {epoch["commitment"]: epoch["key"] for epoch in file["epochs"]}
    final = states[-1][1]
    for device in devices:
        if device.id == device_id(final.recovery) or final.roles.get(device.id):
            keys = {name.hex(): key.hex() for name, key in epoch_keys(states, device).items()}
            same(keys, stated, "the epoch keys of a device")


def verify_sealed(file: dict, space: bytes, states: list) -> None:
    raw = bytes.fromhex
    block, author, redaction = file["block"], file["author"], file["redaction"]
    same(raw(block["sealed"])[:1], b"\2", "the encoding of a sealed block")
    place = space + raw(block["replica"]) + eight(block["sequence"])
    parts = [
        (block, "varve sealed block 1", place + eight(block["index"]), raw(block["sealed"])[1:]),
        (author, "varve sealed header 1", space + raw(author["replica"]) + eight(author["sequence"]),
         raw(author["sealed"])),
        (redaction, "varve sealed redaction 1", space + eight(redaction["number"]) + raw(redaction["previous"]),
         raw(redaction["sealed"])),
    ]
    for part, purpose, fields, sealed in parts:
        key, plaintext = raw(part["key"]), raw(part["plaintext"])
        same(unseal(key, part["epoch"], purpose, fields, sealed), plaintext, purpose)
        if "random" in part:
            made = seal(key, part["epoch"], purpose, fields, plaintext, raw(part["random"]))
            same(made, sealed, f"{purpose}, sealed again")
    texts = counted(author["author"].encode()) + counted(author["message"].encode())
    same(raw(author["plaintext"]), texts, "author and message")
    entry = next(entry for entry, _ in states if entry.hash.hex() == redaction["entry"])
    same(entry.content["sealed"].hex(), redaction["sealed"], "the sealed bytes of a redaction")
    same([block[2].hex() for block in entry.content["blocks"]], [redaction["left"]], "what is left of blocks")
    header = file["header"]
    fields = {
        "kind": header["kind"], "replica": raw(header["replica"]), "number": header["sequence"],
        "time": eight(header["time"]), "previous": raw(header["previous"]), "blocks": raw(header["blocks"]),
        "epoch": header["epoch"], "author": raw(header["author"]), "membership": raw(header["membership"]),
        "voided": [Reader(raw(commit)).commit() for commit in header["voided"]],
    }
    same(commit_header(fields).hex(), header["header"], "the header of a sealed commit")
    same(sha256(b"varve commit 1\0", raw(header["header"])).hex(), header["hash"], "the hash of a sealed commit")


def verify_joining(stated: dict, space: bytes, states: list, devices: list) -> None:
    raw = bytes.fromhex
    invitation, device = Invitation(raw(stated["secret"])), devices[stated["device"]]
    same([invitation.code, invitation.id.hex()], [stated["code"], stated["id"]], "an invitation")
    genesis = states[0][0].hash
    terms = invitation.terms(space, genesis, raw(stated["shown"]), device.public)
    request = raw(stated["request"])
    same(request[: len(terms)], terms, "the terms of a request")
    signed = request[: len(terms) + 64]
    verify_signature(device.public, "varve join possession 1", terms, signed[len(terms) :])
    same(request[len(signed) :], mac(invitation.key, domain("varve join request 1"), signed), "a request's HMAC")
    added = next(entry for entry, _ in states if entry.kind == ADD and entry.content["public"] == device.public)
    same(added.content["invitation"], invitation.id, "the invitation of an entry")
    terms = invitation.terms(space, genesis, added.hash, device.public)
    same(raw(stated["confirmation"]), invitation.confirmation(terms), "a confirmation")


def read_commit(stated: dict) -> dict:
    raw = bytes.fromhex
    return {
        "id": Reader(raw(stated["id"])).commit(), "previous": raw(stated["previous"]), "time": stated["time"],
        "membership": raw(stated["membership"]) if stated.get("membership") else None, "epoch": stated.get("epoch"),
        "voided": [Reader(raw(other)).commit() for other in stated["voided"]], "content": stated["content"],
    }


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in ("make", "verify"):
        print(__doc__, file=sys.stderr)
        return 64
    if sys.argv[1] == "make":
        vectors = make()
        verify(vectors)
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            json.dump(vectors, file, indent=1, ensure_ascii=False)
            file.write("\n")
        return 0
    with open(sys.argv[2], encoding="utf-8") as file:
        vectors = json.load(file)
    try:
        print("verified: " + ", ".join(verify(vectors)))
    except Invalid as error:
        print(f"sealed-vectors: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

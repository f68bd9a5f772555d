import VarveCore

/// The texts that come before everything that is signed, hashed or authenticated. Each stands for one
/// purpose, so that bytes made for one purpose are never valid for another.
///
/// Every text ends with a zero byte, which none contains elsewhere: none is the beginning of another.
package enum Domain: String, CaseIterable, Sendable {
  case device = "varve device 1"
  case membershipEntry = "varve membership entry 1"
  case membershipSignature = "varve membership signature 1"
  case epochKey = "varve epoch key 1"
  case epochCommitment = "varve epoch commitment 1"
  case earlierEpoch = "varve earlier epoch 1"
  case sealingSalt = "varve sealing salt 1"
  case sealedBlock = "varve sealed block 1"
  case sealedHeader = "varve sealed header 1"
  case sealedRedaction = "varve sealed redaction 1"
  case signedHead = "varve signed head 1"
  case recoveryKey = "varve recovery key 1"
  case recoverySigning = "varve recovery signing 1"
  case recoveryAgreement = "varve recovery agreement 1"
  case invitation = "varve invitation 1"
  case invitationID = "varve invitation id 1"
  case invitationKey = "varve invitation key 1"
  case joinPossession = "varve join possession 1"
  case joinRequest = "varve join request 1"
  case joinConfirmation = "varve join confirmation 1"
  case keyFile = "varve key file 1"

  /// The text and a zero byte.
  package var bytes: [UInt8] { Array(rawValue.utf8) + [0] }
}

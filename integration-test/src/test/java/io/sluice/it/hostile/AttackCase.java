package io.sluice.it.hostile;

import io.sluice.it.hostile.RawCalls.Compression;
import java.util.Arrays;
import java.util.stream.Stream;

/** All attacks. The table of threats in docs/security.md names the defence against each. */
@SuppressWarnings("ImmutableEnumChecker") // Attacks are methods.
enum AttackCase {
  NO_ATTACK(When.NIGHTLY, target -> Attack.NOTHING_OPEN),
  COMPRESSED_DELETIONS(When.ALWAYS, CallAttacks.deletions(Compression.GZIP)),
  DELETIONS(When.NIGHTLY, CallAttacks.deletions(Compression.IDENTITY)),
  DELETIONS_OF_A_USER(When.NIGHTLY, CallAttacks::deletionsOfAUser),
  HALF_MESSAGES_TO_SERVER(When.ALWAYS, CallAttacks::halfMessagesToServer),
  HALF_MESSAGES_TO_DATA_STREAMS(When.NIGHTLY, CallAttacks::halfMessagesToDataStreams),
  HALF_MESSAGES_TO_COORDINATOR(When.ALWAYS, CallAttacks::halfMessagesToCoordinator),
  HALF_MESSAGES_OF_A_USER_TO_SERVER(
      When.NIGHTLY,
      CallAttacks.halfMessagesOfAUser(Port.SERVER_RPC, CallAttacks.UNREGISTER_SHUFFLES)),
  HALF_MESSAGES_OF_A_USER_TO_COORDINATOR(
      When.NIGHTLY,
      CallAttacks.halfMessagesOfAUser(Port.COORDINATOR_RPC, CallAttacks.REGISTER_APPLICATION)),
  OPEN_CALLS(When.NIGHTLY, CallAttacks::openCalls),
  COMPRESSED_FRAMES(When.NIGHTLY, CallAttacks::compressedFrames),
  COMPRESSED_RENEWALS(When.NIGHTLY, CallAttacks.renewals(Compression.GZIP)),
  RENEWALS_OF_A_USER(
      When.NIGHTLY, CallAttacks.renewals(Compression.IDENTITY, Target.proofs(Identity.MALLORY))),
  COMPRESSED_HEARTBEATS(When.NIGHTLY, CallAttacks.heartbeats(Compression.GZIP)),
  HEARTBEATS(When.NIGHTLY, CallAttacks.heartbeats(Compression.IDENTITY)),
  HEARTBEATS_OF_A_USER(
      When.NIGHTLY, CallAttacks.heartbeats(Compression.IDENTITY, Target.proofs(Identity.MALLORY))),
  STRANGE_MESSAGES(When.NIGHTLY, CallAttacks::strangeMessages),
  DIRECT_IO_ON_DESCRIPTORS(When.ALWAYS, FileAttacks::directIoOnDescriptors),
  DELETED_FILES_KEPT_OPEN(When.ALWAYS, FileAttacks::deletedFilesKeptOpen),
  READERS_THAT_NEVER_READ(When.ALWAYS, ReaderAttacks::neverRead),
  ACKNOWLEDGEMENTS_NEVER_READ(When.NIGHTLY, PushAttacks::acknowledgementsNeverRead),
  LARGE_HEADS(When.ALWAYS, FrameAttacks::largeHeads),
  HALF_HEADS(When.NIGHTLY, FrameAttacks::halfHeads),
  MEMORY_PRESSURE(When.ALWAYS, MemoryAttacks::pressure),
  DENIED_CALLS_OF_SERVER(
      When.ALWAYS, LogAttacks.deniedCalls(Port.SERVER_RPC, CallAttacks.UNREGISTER_SHUFFLES)),
  DENIED_CALLS_OF_COORDINATOR(
      When.NIGHTLY, LogAttacks.deniedCalls(Port.COORDINATOR_RPC, CallAttacks.REGISTER_APPLICATION)),
  FORGED_LINES(When.ALWAYS, LogAttacks::forgedLines),
  RAPID_RESET_OF_SERVER(
      When.ALWAYS, Http2Attacks.rapidReset(Port.SERVER_RPC, CallAttacks.UNREGISTER_SHUFFLES)),
  RAPID_RESET_OF_COORDINATOR(
      When.NIGHTLY,
      Http2Attacks.rapidReset(Port.COORDINATOR_RPC, CallAttacks.REGISTER_APPLICATION)),
  ENDLESS_HEADERS(When.NIGHTLY, Http2Attacks.endlessHeaders(Port.SERVER_RPC)),
  HEADER_BOMB(When.NIGHTLY, Http2Attacks.headerBomb(Port.SERVER_RPC)),
  CONTROL_FRAMES(When.NIGHTLY, Http2Attacks.controlFrames(Port.SERVER_RPC)),
  READERS_THAT_TRICKLE(When.NIGHTLY, ReaderAttacks::trickle),
  READERS_THAT_NEVER_READ_GRPC(When.NIGHTLY, ReaderAttacks::neverReadOverGrpc),
  BODIES_NEVER_SENT(When.NIGHTLY, FrameAttacks::bodiesNeverSent),
  MAXIMAL_REQUESTS(When.NIGHTLY, FrameAttacks::maximalRequests),
  WRONG_FRAMES(When.NIGHTLY, FrameAttacks::wrongFrames),
  WRONG_VALUES(When.NIGHTLY, FrameAttacks::wrongValues),
  LYING_BLOCKS(When.NIGHTLY, BlockAttacks::lyingLengths),
  FOREIGN_TOKEN(When.NIGHTLY, TokenAttacks::foreignToken),
  REPLAYED_PROOF(When.NIGHTLY, TokenAttacks::replayedProof),
  REPLAYED_CALL(When.NIGHTLY, TokenAttacks::replayedCall),
  SILENT_LOCAL_READERS(When.NIGHTLY, FileAttacks::silentReaders),
  DESCRIPTORS_NOT_ACCEPTED(When.NIGHTLY, FileAttacks::descriptorsNotAccepted),
  FALSE_LOCAL_READERS(When.NIGHTLY, FileAttacks::falseRequests),
  FLOOD_OF_ONE_ADDRESS(When.NIGHTLY, ConnectionAttacks::floodOfOneAddress),
  FLOOD_OF_SERVER_DATA(When.NIGHTLY, ConnectionAttacks.floodOfManyAddresses(Port.SERVER_DATA)),
  FLOOD_OF_SERVER_RPC(When.NIGHTLY, ConnectionAttacks.floodOfManyAddresses(Port.SERVER_RPC)),
  FLOOD_OF_SERVER_HTTP(When.NIGHTLY, ConnectionAttacks.floodOfManyAddresses(Port.SERVER_HTTP)),
  FLOOD_OF_COORDINATOR_RPC(
      When.NIGHTLY, ConnectionAttacks.floodOfManyAddresses(Port.COORDINATOR_RPC)),
  FLOOD_OF_COORDINATOR_HTTP(
      When.NIGHTLY, ConnectionAttacks.floodOfManyAddresses(Port.COORDINATOR_HTTP)),
  RESETS(When.NIGHTLY, ConnectionAttacks::resets),
  ABANDONED_HANDSHAKES(When.NIGHTLY, ConnectionAttacks::abandonedHandshakes),
  SLOW_DATA(When.NIGHTLY, ConnectionAttacks.slowBeginnings(Port.SERVER_DATA)),
  SLOW_SERVER_RPC(When.NIGHTLY, ConnectionAttacks.slowBeginnings(Port.SERVER_RPC)),
  SLOW_COORDINATOR_RPC(When.NIGHTLY, ConnectionAttacks.slowBeginnings(Port.COORDINATOR_RPC)),
  SLOW_SERVER_HTTP(When.NIGHTLY, ConnectionAttacks.slowBeginnings(Port.SERVER_HTTP)),
  SLOW_COORDINATOR_HTTP(When.NIGHTLY, ConnectionAttacks.slowBeginnings(Port.COORDINATOR_HTTP)),
  SLOW_HANDSHAKES_DATA(When.NIGHTLY, ConnectionAttacks.slowHandshakes(Port.SERVER_DATA)),
  SLOW_HANDSHAKES_RPC(When.NIGHTLY, ConnectionAttacks.slowHandshakes(Port.SERVER_RPC)),
  SLOW_HANDSHAKES_HTTP(When.NIGHTLY, ConnectionAttacks.slowHandshakes(Port.COORDINATOR_HTTP)),
  SMUGGLED_REQUESTS(When.NIGHTLY, HttpAttacks::smuggling),
  OVERSIZED_HTTP(When.NIGHTLY, HttpAttacks::oversizedRequests),
  PIPELINED_HTTP(When.NIGHTLY, HttpAttacks::pipelined);

  /** Builds in which an attack runs. */
  enum When {
    ALWAYS,
    NIGHTLY
  }

  private final When when;
  private final Attack attack;

  AttackCase(When when, Attack attack) {
    this.when = when;
    this.attack = attack;
  }

  Attack attack() {
    return attack;
  }

  static Stream<AttackCase> ordinary() {
    return Arrays.stream(values()).filter(attack -> attack.when == When.ALWAYS);
  }
}

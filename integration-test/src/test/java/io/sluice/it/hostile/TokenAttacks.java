package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.MessageLite;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.ProcessRole;
import io.sluice.it.hostile.FramePeer.Frame;
import io.sluice.it.hostile.RawCalls.Compression;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.Open;
import io.sluice.proto.Push;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.Status;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.transport.protocol.ConnectionProofs;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Foreign and replayed proofs. */
final class TokenAttacks {
  private static final String LIST_SERVERS = "sluice.v1.Coordinator/ListServers";
  private static final byte[] NOTHING = {};

  private TokenAttacks() {}

  /** A token of one application used for the data of another. */
  static AutoCloseable foreignToken(Target target) throws Exception {
    OpenResources open = new OpenResources();
    try {
      Mallory mallory = open.add(Mallory.join(target));
      String victim = target.newApplication(Identity.ALICE);
      try (FramePeer peer = FramePeer.connect(target)) {
        assertThatExceptionOfType(RefusedException.class)
            .isThrownBy(() -> peer.greet(victim, mallory.credential()))
            .matches(refused -> refused.status() == Status.DENIED);
      }
      ShuffleId shuffle = ShuffleId.newBuilder().setApplication(victim).build();
      long epoch = mallory.epoch();
      denied(target, mallory, Frames.PUSH, Push.newBuilder().setShuffle(shuffle).setEpoch(epoch));
      denied(
          target,
          mallory,
          Frames.OPEN,
          Open.newBuilder().setShuffle(shuffle).setAssignedEpoch(epoch).addPartitions(0));
      denied(
          target,
          mallory,
          Frames.FETCH,
          Fetch.newBuilder()
              .setShuffle(shuffle)
              .setEpoch(epoch)
              .addRanges(Range.newBuilder().setLength(1)));
      ManagedChannel channel =
          target.channel(
              Port.SERVER_RPC,
              CallProofs.ofApplication(
                  mallory.credential(), ProcessRole.SERVER, new SecureRandom(), Clock.systemUTC()));
      open.add(channel::shutdownNow);
      io.grpc.Status deletion =
          RawCalls.call(
                  channel,
                  "sluice.v1.ShuffleServerControl/UnregisterShuffleApplication",
                  UnregisterShuffleApplicationRequest.newBuilder()
                      .setApplication(victim)
                      .build()
                      .toByteArray())
              .status();
      assertThat(deletion.getCode())
          .as("end of a deletion for another application: %s", deletion)
          .isEqualTo(Code.PERMISSION_DENIED);
      return open;
    } catch (Exception | AssertionError e) {
      open.close();
      throw e;
    }
  }

  private static void denied(Target target, Mallory mallory, int type, MessageLite.Builder request)
      throws Exception {
    try (FramePeer peer = FramePeer.greeted(target, mallory.credential())) {
      peer.send(Frames.of(type, 3, request.build()));
      Frame reply = peer.receive();
      assertThat(reply).as("reply to a request for the data of another application").isNotNull();
      assertThat(reply.status()).isEqualTo(Status.DENIED);
    }
  }

  /** The proof of one connection, replayed on another one. */
  static AutoCloseable replayedProof(Target target) throws Exception {
    OpenResources open = new OpenResources();
    try {
      Mallory mallory = open.add(Mallory.join(target));
      ConnectionProofs proofs = Target.proofs(mallory.credential());
      Hello.Builder hello = FramePeer.hello(mallory.application());
      proofs.introduce(hello);
      byte[] first = Frames.of(Frames.HELLO, 1, hello.build());
      byte[] proof;
      try (FramePeer peer = FramePeer.connect(target)) {
        peer.send(first);
        HelloChallenge challenge = HelloChallenge.parseFrom(peer.receive().head());
        HelloProof right = proofs.answer(challenge);
        proof = Frames.of(Frames.PROOF, 2, right);
        peer.send(proof);
        assertThat(peer.receive().type()).isEqualTo(Frames.HELLO_REPLY);
      }
      try (FramePeer peer = FramePeer.connect(target)) {
        peer.send(first);
        assertThat(peer.receive().type()).isEqualTo(Frames.CHALLENGE);
        peer.send(proof);
        Frame reply = peer.receive();
        assertThat(reply).isNotNull();
        assertThat(reply.status()).isEqualTo(Status.DENIED);
      }
      guessedProofs(target, mallory.credential());
      return open;
    } catch (Exception | AssertionError e) {
      open.close();
      throw e;
    }
  }

  /** Proves another key than that of the token, and a token with a changed signature. */
  private static void guessedProofs(Target target, ApplicationCredential right) throws Exception {
    byte[] bytes = right.toBytes();
    ByteBuffer parts = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    // A version of one byte, then key and token, each after its length of two bytes.
    int endOfKey = 3 + parts.getShort(1);
    int endOfToken = endOfKey + 2 + parts.getShort(endOfKey);
    for (int at : new int[] {endOfKey - 1, endOfToken - 1}) {
      byte[] guessed = bytes.clone();
      guessed[at] ^= 1;
      try (FramePeer peer = FramePeer.connect(target)) {
        assertThatExceptionOfType(RefusedException.class)
            .isThrownBy(
                () -> peer.greet(right.application(), ApplicationCredential.fromBytes(guessed)))
            .matches(refused -> refused.status() == Status.DENIED);
      }
    }
  }

  /**
   * The proof of a call, recorded by a relay between caller and coordinator, used twice. The first
   * use is the caller's.
   */
  static AutoCloseable replayedCall(Target target) throws Exception {
    ManagedChannel coordinator = target.channel(Port.COORDINATOR_RPC);
    try (RecordingRelay relay = new RecordingRelay(coordinator)) {
      Metadata proof = relay.headersOf(Identity.ALICE, LIST_SERVERS);
      assertThat(use(coordinator, proof).getCode()).isEqualTo(Code.OK);
      assertThat(use(coordinator, proof).getCode()).isEqualTo(Code.UNAUTHENTICATED);
    } finally {
      coordinator.shutdownNow();
    }
    return Attack.NOTHING_OPEN;
  }

  private static io.grpc.Status use(ManagedChannel channel, Metadata recorded) throws Exception {
    Metadata headers = new Metadata();
    headers.merge(recorded, Set.of(RecordingRelay.PROOF));
    return RawCalls.begin(channel, LIST_SERVERS, NOTHING, Compression.IDENTITY, headers)
        .get(Bounds.WAIT_SECONDS, TimeUnit.SECONDS)
        .status();
  }
}

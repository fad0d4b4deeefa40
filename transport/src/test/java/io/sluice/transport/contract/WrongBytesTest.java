package io.sluice.transport.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.Hello;
import io.sluice.proto.Open;
import io.sluice.proto.Status;
import io.sluice.transport.protocol.FrameType;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Invalid bytes are refused with a specific error and without allocating memory. */
class WrongBytesTest extends TransportEnds {
  @Test
  void namesEveryFlippedByteOfHeaderAndHead() throws Exception {
    byte[] body = randomBytes(100_000);
    byte[] good = frame(FrameType.PUSH, 2, pushOf(1), body.length);
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= (byte) (1 << random.nextInt(8));
      try (RawPeer peer = connectedPeer()) {
        try {
          peer.send(bad, body);
        } catch (IOException e) {
          // The server has closed the connection before all bytes were sent.
          assertThat(e).hasMessageNotContaining("timed out");
        }
        RawPeer.Frame reply = peer.receive();
        assertThat(reply).as("byte %d", at).isNotNull();
        assertThat(reply.error().getStatus())
            .as("byte %d", at)
            .isIn(
                Status.FRAME_CORRUPT,
                Status.BAD_VERSION,
                Status.BAD_MESSAGE,
                Status.FRAME_TOO_LARGE);
        assertThat(reply.error().getMessage()).startsWith("frame");
        assertThat(peer.receive()).as("byte %d", at).isNull();
      }
    }
    assertThat(service.pushes()).isZero();
    assertThat(memory.maxUsedSlabs()).isZero();
    assertThat(loopback.counters().protocolErrors()).isEqualTo(good.length);
  }

  @Test
  void refusesFrameAboveTheLimitsWithoutMemoryForIt() throws Exception {
    try (RawPeer peer = connectedPeer()) {
      peer.send(frame(FrameType.PUSH, 8, pushOf(1), LIMITS.maxBodyLength() + 1));

      RawPeer.Frame reply = peer.receive();
      assertThat(reply.header().requestId()).isEqualTo(8);
      assertThat(reply.error().getStatus()).isEqualTo(Status.FRAME_TOO_LARGE);
      assertThat(peer.receive()).isNull();
    }
    try (RawPeer peer = connectedPeer()) {
      Open.Builder large = Open.newBuilder();
      for (int i = 0; i < LIMITS.maxHeadLength(); i++) {
        large.addPartitions(i);
      }
      try {
        peer.send(frame(FrameType.OPEN, 8, large.build()));
      } catch (IOException e) {
        assertThat(e).hasMessageNotContaining("timed out");
      }
      assertRefused(peer, Status.FRAME_TOO_LARGE, "");
    }
    assertThat(memory.maxUsedSlabs()).isZero();
  }

  @Test
  void refusesHeadThatIsNotItsMessage() throws Exception {
    try (RawPeer peer = connectedPeer()) {
      // Field 3 is a string in HELLO and a range in FETCH, so that HELLO cannot be parsed as FETCH.
      peer.send(
          frame(
              FrameType.FETCH,
              3,
              Hello.newBuilder().setClient("\u0001\u0001").setMinVersion(1).build()));

      assertRefused(peer, Status.BAD_MESSAGE, "FETCH");
    }
  }

  @Test
  void endsConnectionThatClosesWithinAHead() throws Exception {
    byte[] good = frame(FrameType.PUSH, 2, pushOf(1), 10);
    for (int cut = 1; cut < good.length; cut++) {
      try (RawPeer peer = connectedPeer()) {
        peer.send(Arrays.copyOf(good, cut));
      }
    }
    await("connections closed by the server", () -> loopback.counters().openConnections() == 0);
    assertThat(memory.maxUsedSlabs()).isZero();
  }

  @Test
  void refusesRandomBytes() throws Exception {
    for (int i = 0; i < 30; i++) {
      try (RawPeer peer = loopback.newRawPeer()) {
        try {
          peer.send(randomBytes(40 + random.nextInt(10_000)));
        } catch (IOException e) {
          assertThat(e).hasMessageNotContaining("timed out");
        }
        RawPeer.Frame reply = peer.receive();
        if (reply != null) {
          assertThat(reply.header().type()).isEqualTo(FrameType.ERROR);
          assertThat(peer.receive()).isNull();
        }
      }
    }
    // A call refused because of its size is counted after the client receives the refusal.
    await("errors counted", () -> loopback.counters().protocolErrors() == 30);
    push(connect(), 1, randomBytes(10));
  }
}

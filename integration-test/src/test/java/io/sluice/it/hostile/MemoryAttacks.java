package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.Push;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Attempts to leave the server without memory at the wrong time. */
final class MemoryAttacks {
  private static final int BODY = 16 << 20;

  /** Together most of the memory for blocks. */
  private static final int BODIES = 6;

  private static final int FETCHES = 60;
  private static final int FETCH_BYTES = 1 << 20;
  private static final int STORED_BYTES = 24 << 20;

  /** Together more than the direct memory of the server. */
  private static final int CONNECTIONS = 24;

  private static final int CALLS = 4;

  private static final int CALL_BYTES = 7 << 20;
  private static final long POLL_MS = 50;

  private MemoryAttacks() {}

  /**
   * Fills direct memory from outside while the server needs some for blocks and for reading files.
   * Disks are not to blame for that, and once it is over the server takes as many blocks as before.
   */
  static AutoCloseable pressure(Target target) throws Exception {
    Held held = new Held();
    try {
      Mallory mallory = held.add(Mallory.join(target));
      mallory.store(STORED_BYTES);
      try (Held calls = new Held();
          Held bodies = new Held()) {
        fill(target, calls);
        announceBodies(target, mallory, bodies);
        fetch(target, mallory);
      }
      announceBodies(target, mallory, held);
      awaitMemoryInUse(target);
      return held;
    } catch (Exception | AssertionError e) {
      held.close();
      throw e;
    }
  }

  /** On many connections: the server ends one of them whenever it lacks memory for it. */
  private static void fill(Target target, Held calls) throws Exception {
    byte[] half = new byte[CALL_BYTES];
    for (int i = 0; i < CONNECTIONS; i++) {
      try {
        Http2Peer peer = calls.add(new Http2Peer(target.connect(Port.SERVER_RPC)));
        for (int j = 0; j < CALLS && !peer.isClosed(); j++) {
          int stream = peer.call("/" + CallAttacks.UNREGISTER_SHUFFLES);
          peer.data(stream, Http2Peer.messagePrefix(2 * CALL_BYTES));
          peer.data(stream, half);
        }
      } catch (IOException ended) {
        // The server has ended the connection: it takes no more.
      }
    }
  }

  /** The server takes memory for the whole body when it has read the header. */
  private static void announceBodies(Target target, Mallory mallory, Held held) throws Exception {
    byte[] push =
        Push.newBuilder()
            .setShuffle(mallory.shuffle())
            .setEpoch(mallory.epoch())
            .build()
            .toByteArray();
    for (int i = 0; i < BODIES; i++) {
      try {
        FramePeer peer = held.add(FramePeer.greeted(target, mallory.credential()));
        peer.sendWhileTaken(Frames.of(Frames.PUSH, 3, push, BODY), new byte[1]);
      } catch (IOException refused) {
        // For want of memory, perhaps: what counts is how it is afterwards.
      }
    }
  }

  private static void fetch(Target target, Mallory mallory) throws Exception {
    for (int i = 0; i < FETCHES; i++) {
      try (FramePeer peer = FramePeer.greeted(target, mallory.credential())) {
        peer.send(
            Frames.of(
                Frames.FETCH,
                3,
                mallory.fetch(
                    0, (long) (i % (STORED_BYTES / FETCH_BYTES)) * FETCH_BYTES, FETCH_BYTES)));
        peer.receive();
      } catch (IOException refused) {
        // As above.
      }
    }
  }

  private static void awaitMemoryInUse(Target target) throws Exception {
    long wanted = (long) BODIES * BODY;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Bounds.WAIT_SECONDS);
    long used = 0;
    while (used < wanted && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
      used = target.gauges(target.server()).sum("sluice_server_memory_used_bytes");
    }
    assertThat(used)
        .as("memory for blocks that can be used after a lack of memory has ended")
        .isGreaterThanOrEqualTo(wanted);
  }
}

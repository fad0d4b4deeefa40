package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Attempts to exhaust the server's memory. */
final class MemoryAttacks {
  private static final int BODY = 16 << 20;

  /** Bodies that together take most of the memory for blocks. */
  private static final int BODIES = 6;

  private static final int FETCHES = 60;
  private static final int FETCH_BYTES = 1 << 20;
  private static final int STORED_BYTES = 24 << 20;

  /** Allocations that together exceed the direct memory of the server. */
  private static final int CONNECTIONS = 24;

  private static final int CALLS = 4;

  private static final int CALL_BYTES = 7 << 20;
  private static final long POLL_MS = 50;

  private MemoryAttacks() {}

  /**
   * Fills direct memory while the server needs it for blocks and for reading files. The server must
   * not suspect its disks, and must later accept the same amount of blocks as before.
   */
  static AutoCloseable pressure(Target target) throws Exception {
    OpenResources open = new OpenResources();
    try {
      Mallory mallory = open.add(Mallory.join(target));
      mallory.store(STORED_BYTES);
      try (OpenResources calls = new OpenResources();
          OpenResources bodies = new OpenResources()) {
        fill(target, calls);
        announceBodies(target, mallory, bodies);
        fetch(target, mallory);
      }
      announceBodies(target, mallory, open);
      awaitMemoryInUse(target);
      return open;
    } catch (Exception | AssertionError e) {
      open.close();
      throw e;
    }
  }

  /** Pushes on many connections; the server closes one of them whenever memory is short. */
  private static void fill(Target target, OpenResources calls) throws Exception {
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
        // The server has closed the connection.
      }
    }
  }

  /** Announces bodies: the server reserves memory for a whole body when it has read the header. */
  private static void announceBodies(Target target, Mallory mallory, OpenResources open)
      throws Exception {
    for (int i = 0; i < BODIES; i++) {
      try {
        FramePeer peer = open.add(FramePeer.greeted(target, mallory.credential()));
        peer.sendWhileTaken(Frames.of(Frames.PUSH, 3, mallory.push(), BODY), new byte[1]);
      } catch (IOException refused) {
        // Possibly due to lack of memory; only the state afterwards matters.
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
        .as("usable memory for blocks after the lack of memory has ended")
        .isGreaterThanOrEqualTo(wanted);
  }
}

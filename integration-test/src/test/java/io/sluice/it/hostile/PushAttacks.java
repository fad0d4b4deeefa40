package io.sluice.it.hostile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Clients that push and never read an acknowledgement. */
final class PushAttacks {
  private static final int PUSHERS = 5;

  /** Frames that a pusher sends with one call. */
  private static final int FRAMES = 64;

  private static final int PAYLOAD_BYTES = 16;
  private static final long POLL_MS = 500;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private PushAttacks() {}

  /**
   * Sends small frames on each connection until the server reads no more from it, and continues on
   * a new connection when the server closes one.
   */
  static AutoCloseable acknowledgementsNeverRead(Target target) throws Exception {
    OpenResources open = new OpenResources();
    try {
      Mallory mallory = open.add(Mallory.join(target));
      byte[] frames = frames(mallory);
      List<SilentPusher> pushers = new ArrayList<>();
      for (int i = 0; i < PUSHERS; i++) {
        pushers.add(open.add(new SilentPusher(target, mallory, frames)));
      }
      pushers.forEach(SilentPusher::start);
      awaitBlocked(pushers);
      return open;
    } catch (Exception | AssertionError e) {
      open.close();
      throw e;
    }
  }

  private static byte[] frames(Mallory mallory) {
    byte[] block = Frames.block(0, 0, PAYLOAD_BYTES, new byte[PAYLOAD_BYTES]);
    byte[] begin = Frames.of(Frames.PUSH, 3, mallory.push(), block.length);
    ByteBuffer frames = ByteBuffer.allocate(FRAMES * (begin.length + block.length));
    while (frames.hasRemaining()) {
      frames.put(begin).put(block);
    }
    return frames.array();
  }

  /** Waits until no pusher has sent more for a while. */
  private static void awaitBlocked(List<SilentPusher> pushers) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Bounds.WAIT_SECONDS);
    long before = -1;
    long sent = 0;
    while ((sent == 0 || sent != before) && System.nanoTime() < deadline) {
      before = sent;
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
      sent = pushers.stream().mapToLong(SilentPusher::sentCalls).sum();
    }
    if (sent == 0 || sent != before) {
      throw new AssertionError(
          "the server still reads from clients that read no acknowledgements, after "
              + sent * FRAMES
              + " frames");
    }
  }

  /** Pushes on one connection at a time, on its own thread. */
  private static final class SilentPusher implements AutoCloseable {
    private final Target target;
    private final Mallory mallory;
    private final byte[] frames;
    private final Thread thread = new Thread(this::run, "attacker");

    // Guarded by this.
    private FramePeer peer;
    private boolean ended;
    private long sentCalls;

    SilentPusher(Target target, Mallory mallory, byte[] frames) {
      this.target = target;
      this.mallory = mallory;
      this.frames = frames;
    }

    void start() {
      thread.start();
    }

    synchronized long sentCalls() {
      return sentCalls;
    }

    private void run() {
      while (!isEnded()) {
        try {
          FramePeer connected = FramePeer.greeted(target, mallory.credential());
          use(connected);
          while (connected.sendWhileTaken(frames)) {
            count();
          }
        } catch (Exception refused) {
          // Possibly because memory or connections are short: try again.
          LockSupport.parkNanos(RETRY_NANOS);
        }
      }
    }

    private synchronized boolean isEnded() {
      return ended;
    }

    private synchronized void count() {
      sentCalls++;
    }

    private synchronized void use(FramePeer next) throws IOException {
      if (peer != null) {
        peer.close();
      }
      peer = next;
      if (ended) {
        peer.close();
      }
    }

    @Override
    public void close() throws Exception {
      synchronized (this) {
        ended = true;
        if (peer != null) {
          peer.close();
        }
      }
      thread.join(Target.TIMEOUT_MS);
    }
  }
}

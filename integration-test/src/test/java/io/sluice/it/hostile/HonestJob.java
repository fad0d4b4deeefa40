package io.sluice.it.hostile;

import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.it.cluster.InProcessCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A job that runs during an attack. It first pushes data that fills several files. In each round it
 * reads a part of that from files, and pushes, reads and removes a small shuffle. It compares every
 * byte. Runs on its own thread; a failure ends it.
 */
final class HonestJob implements AutoCloseable {
  private static final int STORED_PARTITIONS = 16;
  private static final int STORED_BYTES = 1 << 20;
  private static final int ROUND_PARTITIONS = 4;
  private static final int ROUND_BYTES = 64 << 10;
  private static final long MAP_ATTEMPT = 7;

  /** Pause between rounds: the job tests availability, not speed. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

  private final SluiceClient client;
  private final ApplicationSession session;
  private final ShuffleAssignment stored;
  private final Thread thread = new Thread(this::run, "honest-job");

  // Guarded by this.
  private int rounds;
  private List<Long> pushMicros = new ArrayList<>();
  private List<Long> readMicros = new ArrayList<>();
  private Throwable failure;
  private boolean stopping;

  /** Times of the pushes and reads of some rounds, in microseconds. */
  record Times(List<Long> pushes, List<Long> reads) {}

  private HonestJob(SluiceClient client, ShuffleAssignment stored) {
    this.client = client;
    this.session = client.applicationSession("alice");
    this.stored = stored;
  }

  /** Returns after it has stored its data and completed its first round. */
  static HonestJob start(Target target) throws Exception {
    SluiceClient client =
        target.client(Identity.ALICE, target.newApplication(Identity.ALICE), Map.of());
    HonestJob job = null;
    try {
      job = new HonestJob(client, InProcessCluster.awaitAssignment(client, STORED_PARTITIONS, 1));
      for (int map = 0; map < STORED_PARTITIONS; map++) {
        job.push(job.stored, map, map, map + 1, STORED_BYTES);
      }
      job.round(0);
      job.thread.start();
      return job;
    } finally {
      if (job == null || !job.thread.isAlive()) {
        client.close();
      }
    }
  }

  private void run() {
    try {
      for (int round = 1; !stopped(); round++) {
        round(round);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (Throwable e) {
      failed(e);
    }
  }

  private void round(int round) throws IOException {
    int partition = round % STORED_PARTITIONS;
    long beganNanos = System.nanoTime();
    check(stored, partition, partition, STORED_BYTES);
    long readNanos = System.nanoTime() - beganNanos;
    int shuffle = stored.shuffle().getShuffle() + 1 + round;
    ShuffleRegistration registration = session.registerShuffle(shuffle, ROUND_PARTITIONS);
    if (!(registration instanceof Assigned assigned)) {
      throw new IOException("shuffle " + shuffle + " was not assigned: " + registration);
    }
    beganNanos = System.nanoTime();
    push(assigned.assignment(), 0, 0, ROUND_PARTITIONS, ROUND_BYTES);
    long pushNanos = System.nanoTime() - beganNanos;
    for (int i = 0; i < ROUND_PARTITIONS; i++) {
      check(assigned.assignment(), 0, i, ROUND_BYTES);
    }
    session.unregisterShuffle(shuffle);
    synchronized (this) {
      rounds++;
      pushMicros.add(TimeUnit.NANOSECONDS.toMicros(pushNanos));
      readMicros.add(TimeUnit.NANOSECONDS.toMicros(readNanos));
      notifyAll();
    }
  }

  private void push(ShuffleAssignment assignment, int map, int first, int end, int bytes)
      throws IOException {
    try (PushSession push =
        client.pushSession(assignment, new MapAttempt(MAP_ATTEMPT + map, map))) {
      push.beginFinalPass();
      for (int partition = first; partition < end; partition++) {
        push.add(partition, content(assignment, partition, bytes), 0, bytes, 1);
      }
      push.finish();
    }
  }

  private void check(ShuffleAssignment assignment, int map, int partition, int bytes)
      throws IOException {
    byte[] found = new byte[bytes];
    int length = 0;
    ShuffleReadRequest request =
        ShuffleReadRequest.builder(assignment).expect(partition, MAP_ATTEMPT + map, map).build();
    try (ShuffleRead read = client.read(request)) {
      for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
        int part = block.content().remaining();
        block.content().get(found, length, part);
        length += part;
      }
    }
    if (length != bytes || !Arrays.equals(found, content(assignment, partition, bytes))) {
      throw new IOException(
          "shuffle "
              + assignment.shuffle().getShuffle()
              + " partition "
              + partition
              + ": other bytes than were pushed, length "
              + length);
    }
  }

  private static byte[] content(ShuffleAssignment assignment, int partition, int bytes) {
    byte[] content = new byte[bytes];
    new Random(assignment.shuffle().getShuffle() * 1_000L + partition).nextBytes(content);
    return content;
  }

  /** Number of completed rounds, all with correct bytes. */
  synchronized int rounds() {
    return rounds;
  }

  /** Times since the last call: of a push of 256 KiB, and of a read of 1 MiB from files. */
  synchronized Times takeTimes() {
    Times taken = new Times(pushMicros, readMicros);
    pushMicros = new ArrayList<>();
    readMicros = new ArrayList<>();
    return taken;
  }

  /**
   * Waits for more rounds.
   *
   * @throws AssertionError if the job failed or the rounds do not complete in time
   */
  synchronized void awaitRounds(int more) throws InterruptedException {
    int wanted = rounds + more;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Bounds.HONEST_SECONDS);
    while (rounds < wanted && failure == null) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (leftMs <= 0) {
        throw new AssertionError(
            "the honest job finished "
                + (rounds - wanted + more)
                + " of "
                + more
                + " rounds in "
                + Bounds.HONEST_SECONDS
                + " s");
      }
      wait(leftMs);
    }
    if (failure != null) {
      throw new AssertionError("the honest job failed: " + failure, failure);
    }
  }

  private synchronized boolean stopped() {
    return stopping;
  }

  private synchronized void failed(Throwable cause) {
    failure = cause;
    notifyAll();
  }

  /** Unregisters the application, whose data the server then deletes. */
  @Override
  public void close() throws InterruptedException {
    synchronized (this) {
      stopping = true;
    }
    thread.join(TimeUnit.SECONDS.toMillis(Bounds.WAIT_SECONDS));
    client.close();
  }
}

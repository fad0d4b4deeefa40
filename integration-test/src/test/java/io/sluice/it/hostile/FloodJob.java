package io.sluice.it.hostile;

import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.it.cluster.InProcessCluster;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * An application that pushes as fast as the server accepts. It removes each shuffle when the next
 * one is complete, so that what it stores is bounded. Runs on its own thread; a failure ends it.
 */
final class FloodJob implements AutoCloseable {
  private static final int PARTITIONS = 20;
  private static final int RECORD_BYTES = 64 << 10;
  private static final int PARTITION_BYTES = 8 << 20;

  private final SluiceClient client;
  private final ApplicationSession session;
  private final ShuffleAssignment first;
  private final byte[] record = new byte[RECORD_BYTES];
  private final Thread thread = new Thread(this::run, "flood-job");

  // Guarded by this.
  private long pushedBytes;
  private Throwable failure;
  private boolean stopping;

  private FloodJob(SluiceClient client) throws IOException {
    this.client = client;
    this.session = client.applicationSession(Identity.MALLORY.user());
    this.first = InProcessCluster.awaitAssignment(client, PARTITIONS, 1);
    new Random(5).nextBytes(record);
  }

  static FloodJob start(Target target) throws IOException {
    SluiceClient client =
        target.client(Identity.MALLORY, target.newApplication(Identity.MALLORY), Map.of());
    FloodJob job = null;
    try {
      job = new FloodJob(client);
      job.thread.start();
      return job;
    } finally {
      if (job == null) {
        client.close();
      }
    }
  }

  private void run() {
    try {
      ShuffleAssignment shuffle = first;
      push(shuffle);
      while (!isStopping()) {
        int number = shuffle.shuffle().getShuffle();
        if (!(session.registerShuffle(number + 1, PARTITIONS) instanceof Assigned next)) {
          throw new IOException("shuffle " + (number + 1) + " was not assigned");
        }
        shuffle = next.assignment();
        push(shuffle);
        session.unregisterShuffle(number);
      }
    } catch (Throwable e) {
      synchronized (this) {
        failure = e;
      }
    }
  }

  private void push(ShuffleAssignment shuffle) throws IOException {
    try (PushSession push = client.pushSession(shuffle, new MapAttempt(1, 0))) {
      push.beginFinalPass();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        for (int bytes = 0; bytes < PARTITION_BYTES && !isStopping(); bytes += RECORD_BYTES) {
          push.add(partition, record, 0, RECORD_BYTES, 1);
          synchronized (this) {
            pushedBytes += RECORD_BYTES;
          }
        }
      }
      push.finish();
    }
  }

  private synchronized boolean isStopping() {
    return stopping;
  }

  /**
   * Number of bytes that were given to the client.
   *
   * @throws AssertionError if the job failed
   */
  synchronized long pushedBytes() {
    if (failure != null) {
      throw new AssertionError("the large job failed: " + failure, failure);
    }
    return pushedBytes;
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

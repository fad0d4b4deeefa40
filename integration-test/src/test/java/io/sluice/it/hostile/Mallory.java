package io.sluice.it.hostile;

import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.it.cluster.InProcessCluster;
import io.sluice.proto.Fetch;
import io.sluice.proto.Push;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import java.io.IOException;
import java.util.Map;
import java.util.Random;

/**
 * An attacker who is an authenticated user of the cluster, with an application and one shuffle.
 * Used by one test; closing it unregisters the application.
 */
final class Mallory implements AutoCloseable {
  private static final long MAP_ATTEMPT = 1;

  private final SluiceClient client;
  private final ShuffleAssignment assignment;

  private Mallory(SluiceClient client, ShuffleAssignment assignment) {
    this.client = client;
    this.assignment = assignment;
  }

  static Mallory join(Target target) throws IOException {
    return join(target, 1, Map.of());
  }

  /**
   * @param options options of the client
   */
  static Mallory join(Target target, int partitions, Map<String, String> options)
      throws IOException {
    SluiceClient client =
        target.client(Identity.MALLORY, target.newApplication(Identity.MALLORY), options);
    boolean joined = false;
    try {
      Mallory mallory =
          new Mallory(client, InProcessCluster.awaitAssignment(client, partitions, 1));
      joined = true;
      return mallory;
    } finally {
      if (!joined) {
        client.close();
      }
    }
  }

  ApplicationCredential credential() {
    return client.credentials().newest().orElseThrow();
  }

  String application() {
    return client.application();
  }

  ShuffleId shuffle() {
    return assignment.shuffle();
  }

  /** Epoch of the server. */
  long epoch() {
    return assignment.servers().get(0).getEpoch();
  }

  /** Pushes random bytes, the same number to each partition. */
  void store(int bytesOfEach) throws IOException {
    Random random = new Random(3);
    byte[] record = new byte[Math.min(bytesOfEach, 1 << 20)];
    try (PushSession push = client.pushSession(assignment, new MapAttempt(MAP_ATTEMPT, 0))) {
      push.beginFinalPass();
      for (int partition = 0; partition < assignment.partitionCount(); partition++) {
        for (int bytes = 0; bytes < bytesOfEach; bytes += record.length) {
          random.nextBytes(record);
          push.add(partition, record, 0, Math.min(record.length, bytesOfEach - bytes), 1);
        }
      }
      push.finish();
    }
  }

  /** Starts to read a partition like a job, and returns after the first block. */
  ShuffleRead beginRead(int partition) throws IOException {
    ShuffleRead read =
        client.read(
            ShuffleReadRequest.builder(assignment).expect(partition, MAP_ATTEMPT, 0).build());
    ShuffleBlock first = read.next();
    if (first == null) {
      read.close();
      throw new IOException("partition " + partition + " is empty");
    }
    return read;
  }

  /** The head of a push to the shuffle. */
  byte[] push() {
    return Push.newBuilder().setShuffle(shuffle()).setEpoch(epoch()).build().toByteArray();
  }

  /** A request for a range of the shuffle. */
  Fetch fetch(int partition, long offset, long length) {
    return Fetch.newBuilder()
        .setShuffle(shuffle())
        .setEpoch(epoch())
        .addRanges(Range.newBuilder().setPartition(partition).setOffset(offset).setLength(length))
        .build();
  }

  @Override
  public void close() {
    client.close();
  }
}

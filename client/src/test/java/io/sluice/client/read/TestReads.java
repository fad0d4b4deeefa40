package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.push.FramedPushSession;
import java.util.Arrays;

/**
 * Pushes and reads of a whole shuffle. The attempt and the partition of a block determine its
 * bytes.
 */
final class TestReads {
  private TestReads() {}

  /** One attempt of each map task. */
  static void pushMaps(FakeCluster cluster, ShuffleAssignment assignment, int maps, int length)
      throws Exception {
    for (int map = 0; map < maps; map++) {
      push(cluster, assignment, map, map, length);
    }
  }

  static void push(
      FakeCluster cluster, ShuffleAssignment assignment, long attempt, int map, int length)
      throws Exception {
    try (FramedPushSession session = cluster.push(assignment, attempt, map)) {
      session.beginFinalPass();
      for (int partition = 0; partition < assignment.partitionCount(); partition++) {
        byte[] content = new byte[length];
        Arrays.fill(content, (byte) (attempt * 31 + partition));
        session.add(partition, content, 0, length, 2);
      }
      session.finish();
    }
  }

  static ShuffleReadRequest request(
      ShuffleAssignment assignment, int first, int end, long... attempts) {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (int partition = first; partition < end; partition++) {
      for (long attempt : attempts) {
        request.expect(partition, attempt, (int) attempt);
      }
    }
    return request.build();
  }

  static int drain(ShuffleRead read) throws Exception {
    int batches = 0;
    for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
      byte value = (byte) (block.mapAttempt() * 31 + block.partition());
      while (block.content().hasRemaining()) {
        assertThat(block.content().get()).isEqualTo(value);
      }
      batches++;
    }
    return batches;
  }

  static int batches(FakeCluster cluster, ShuffleReadRequest request) throws Exception {
    try (ShuffleRead read = cluster.read(request)) {
      return drain(read);
    }
  }

  static MissingBlocks missing(ShuffleRead read) {
    try {
      drain(read);
    } catch (BlocksMissingException e) {
      return e.missing().get(0);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("nothing is missing");
  }
}

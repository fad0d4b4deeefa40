package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulation.ThrottledServer.Application;
import io.sluice.simulation.ThrottledServer.Latencies;
import io.sluice.simulation.ThrottledServer.Load;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: while large applications use the whole bandwidth of a disk, the p99 latency of the reads
 * and pushes of a small application is at most three times its p99 alone. Method: the production
 * classes of a server, in virtual time, with a disk of 4 MiB per second; five seeds.
 */
class FairDiskTest {
  private static final int MAX_TIMES = 3;
  private static final int FRAME_BYTES = 64 << 10;
  private static final int SLICE_BYTES = 256 << 10;

  /** Of these, the first half is in files for certain. */
  private static final int FILLED_BYTES = 2 << 20;

  private static final int FRAMES = FILLED_BYTES / FRAME_BYTES;

  private static final Load SMALL_READS = new Load(1, SLICE_BYTES, 50);

  /** Four tasks with four slices in flight each. */
  private static final Load LARGE_READS = new Load(16, SLICE_BYTES, 0);

  /** 0.6 MiB per second. */
  private static final Load SMALL_PUSHES = new Load(1, 16 << 10, 50);

  private static final Load LARGE_PUSHES = new Load(10, FRAME_BYTES, 0);

  private static final Carriers CARRIERS = new Carriers();

  @AfterAll
  static void close() {
    CARRIERS.close();
  }

  private static void assertFair(Latencies alone, Latencies beside) {
    assertThat(beside.p99())
        .as("p99 beside the large application, alone: %s ns", alone.p99())
        .isLessThanOrEqualTo(MAX_TIMES * alone.p99());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void readsBesideReads(long seed) throws Exception {
    try (ThrottledServer server = new ThrottledServer(seed, CARRIERS)) {
      Application small = server.application("small");
      Application large = server.application("large");
      small.fill(1, FRAME_BYTES, FRAMES);
      large.fill(4, FRAME_BYTES, FRAMES);
      server.advance(2);
      small.read(SMALL_READS, 1, FILLED_BYTES / 2);
      Latencies alone = small.record();
      server.advance(30);
      large.read(LARGE_READS, 4, FILLED_BYTES / 2);
      Latencies beside = small.record();
      server.advance(30);
      assertFair(alone, beside);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void pushesBesidePushes(long seed) throws Exception {
    pushesBesidePushes(seed, 1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void pushesBesidePushesOfTwoApplications(long seed) throws Exception {
    pushesBesidePushes(seed, 2);
  }

  private static void pushesBesidePushes(long seed, int largeApplications) throws Exception {
    try (ThrottledServer server = new ThrottledServer(seed, CARRIERS)) {
      Application small = server.application("small");
      small.push(SMALL_PUSHES);
      Latencies alone = small.record();
      server.advance(30);
      for (int i = 0; i < largeApplications; i++) {
        server.application("large-" + i).push(LARGE_PUSHES);
      }
      Latencies beside = small.record();
      server.advance(30);
      assertFair(alone, beside);
    }
  }
}

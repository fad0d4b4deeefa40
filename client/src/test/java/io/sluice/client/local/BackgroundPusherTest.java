package io.sluice.client.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.proto.ServerId;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class BackgroundPusherTest {
  private static final Faults NONE = new Faults() {};
  private static final long DEADLINE_MS = 60_000;

  @TempDir Path directory;

  private static BackgroundPusher pusher(FakeCluster cluster, int threads, int maxQueued) {
    return new BackgroundPusher(
        new BackgroundConfig(cluster.pushConfig(), threads, maxQueued, 1 << 20),
        output -> cluster.sealedPush(output.assignment(), output.attempt()),
        cluster.allocator(),
        new SplittableRandom(1),
        System::nanoTime);
  }

  private FinishedOutput output(FakeCluster cluster, ShuffleAssignment assignment, long attempt)
      throws Exception {
    return LocalFile.write(
        directory.resolve("data-" + attempt),
        cluster,
        assignment,
        attempt,
        session -> {
          session.beginFinalPass();
          for (int partition = 0; partition < assignment.partitionCount(); partition++) {
            session.add(partition, new byte[2000], 0, 2000, 1);
          }
        });
  }

  /** Delays every push until it is opened. */
  private static final class Gate implements Faults {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    @Override
    public Fate push(ServerId server, Push push, ByteBuf body) throws SluiceException {
      reached.countDown();
      try {
        if (!open.await(DEADLINE_MS, TimeUnit.MILLISECONDS)) {
          throw new SluiceException(StatusCode.INTERNAL, "never opened");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Fate.LOST_BEFORE;
      }
      return Fate.DONE;
    }
  }

  @Test
  void pushesAllOutputsOnAFewThreads() throws Exception {
    try (FakeCluster cluster = FakeCluster.threaded(3, NONE)) {
      ShuffleAssignment assignment = cluster.assign(50, 6, 1);
      try (BackgroundPusher pusher = pusher(cluster, 2, 100)) {
        for (int attempt = 0; attempt < 20; attempt++) {
          pusher.add(output(cluster, assignment, attempt));
        }
        assertThat(pusher.awaitIdle(DEADLINE_MS)).isTrue();

        BackgroundCounters counters = pusher.counters();
        assertThat(counters.pushedOutputs()).isEqualTo(20);
        assertThat(counters.waitingOutputs()).isZero();
        assertThat(counters.pushedBytes()).isPositive();
        for (int attempt = 0; attempt < 20; attempt++) {
          for (int partition = 0; partition < 50; partition++) {
            int server = assignment.serverIndex(assignment.rangeOf(partition), 0);
            assertThat(cluster.server(server).isComplete(partition, attempt)).isTrue();
          }
        }
      }
    }
  }

  @Test
  void skipsADeletedOutputAndContinues() throws Exception {
    try (FakeCluster cluster = FakeCluster.threaded(1, NONE);
        BackgroundPusher pusher = pusher(cluster, 1, 100)) {
      ShuffleAssignment assignment = cluster.assign(5, 1, 1);
      FinishedOutput gone = output(cluster, assignment, 1);
      java.nio.file.Files.delete(gone.data());
      pusher.add(gone);
      pusher.add(output(cluster, assignment, 2));
      assertThat(pusher.awaitIdle(DEADLINE_MS)).isTrue();

      assertThat(pusher.counters().droppedOutputs()).isEqualTo(1);
      assertThat(pusher.counters().pushedOutputs()).isEqualTo(1);
      assertThat(cluster.server(0).isComplete(3, 2)).isTrue();
    }
  }

  @Test
  void countsARefusedOutputAsFailedAndPushesTheNext() throws Exception {
    Faults refusing =
        new Faults() {
          @Override
          public Fate push(ServerId server, Push push, ByteBuf body) throws SluiceException {
            throw new SluiceException(StatusCode.EXPIRED, "shuffle expired");
          }
        };
    try (FakeCluster cluster = FakeCluster.threaded(1, refusing);
        BackgroundPusher pusher = pusher(cluster, 2, 100)) {
      ShuffleAssignment assignment = cluster.assign(5, 1, 1);
      pusher.add(output(cluster, assignment, 1));
      pusher.add(output(cluster, assignment, 2));
      assertThat(pusher.awaitIdle(DEADLINE_MS)).isTrue();

      assertThat(pusher.counters().failedOutputs()).isEqualTo(2);
    }
  }

  @Test
  void dropsOutputsBeyondTheMaximumQueueLength() throws Exception {
    Gate gate = new Gate();
    try (FakeCluster cluster = FakeCluster.threaded(1, gate);
        BackgroundPusher pusher = pusher(cluster, 1, 2)) {
      ShuffleAssignment assignment = cluster.assign(5, 1, 1);
      pusher.add(output(cluster, assignment, 0));
      assertThat(gate.reached.await(DEADLINE_MS, TimeUnit.MILLISECONDS)).isTrue();
      for (int attempt = 1; attempt < 6; attempt++) {
        pusher.add(output(cluster, assignment, attempt));
      }
      assertThat(pusher.counters().waitingOutputs()).isEqualTo(2);
      assertThat(pusher.counters().droppedOutputs()).isEqualTo(3);

      gate.open.countDown();
      assertThat(pusher.awaitIdle(DEADLINE_MS)).isTrue();
      assertThat(pusher.counters().pushedOutputs()).isEqualTo(3);
    }
  }

  @Test
  void stopsPushingAForgottenShuffle() throws Exception {
    Gate gate = new Gate();
    try (FakeCluster cluster = FakeCluster.threaded(1, gate);
        BackgroundPusher pusher = pusher(cluster, 1, 10)) {
      // Several frames, and more bytes than the in-flight limit.
      ShuffleAssignment assignment = cluster.assign(1000, 1, 1);
      for (int attempt = 0; attempt < 4; attempt++) {
        FinishedOutput output =
            LocalFile.write(
                directory.resolve("noise-" + attempt),
                cluster,
                assignment,
                attempt,
                session -> {
                  byte[] noise = new byte[2000];
                  new java.util.Random(1).nextBytes(noise);
                  session.beginFinalPass();
                  for (int partition = 0; partition < 1000; partition++) {
                    session.add(partition, noise, 0, noise.length, 1);
                  }
                });
        pusher.add(output);
      }
      assertThat(gate.reached.await(DEADLINE_MS, TimeUnit.MILLISECONDS)).isTrue();
      pusher.forget(assignment.shuffle().getShuffle());
      gate.open.countDown();
      assertThat(pusher.awaitIdle(DEADLINE_MS)).isTrue();

      assertThat(pusher.counters().droppedOutputs()).isEqualTo(4);
      assertThat(pusher.counters().pushedOutputs()).isZero();
      // About the frames in flight, of 120 frames in one output.
      assertThat(cluster.server(0).pushLengths()).hasSizeLessThan(20);
    }
  }

  @Test
  void dropsAllOutputsOfAnUnwantedShuffle() throws Exception {
    Gate gate = new Gate();
    AtomicBoolean wanted = new AtomicBoolean(true);
    try (FakeCluster cluster = FakeCluster.threaded(1, gate);
        BackgroundPusher pusher = pusher(cluster, 1, 10)) {
      ShuffleAssignment assignment = cluster.assign(5, 1, 1);
      for (int attempt = 0; attempt < 4; attempt++) {
        FinishedOutput made = output(cluster, assignment, attempt);
        pusher.add(
            new FinishedOutput(
                made.assignment(), made.attempt(), made.data(), made.lengths(), null, wanted::get));
      }
      assertThat(gate.reached.await(DEADLINE_MS, TimeUnit.MILLISECONDS)).isTrue();
      wanted.set(false);
      gate.open.countDown();
      assertThat(pusher.awaitIdle(DEADLINE_MS)).isTrue();

      // The first output was wanted when its push began.
      assertThat(pusher.counters().pushedOutputs()).isEqualTo(1);
      assertThat(pusher.counters().droppedOutputs()).isEqualTo(3);
    }
  }

  @Test
  void closesAtOnceAlthoughAServerDoesNotReply() throws Exception {
    Faults silent =
        new Faults() {
          @Override
          public Fate push(ServerId server, Push push, ByteBuf body) {
            return Fate.SILENT;
          }
        };
    try (FakeCluster cluster = FakeCluster.threaded(1, silent)) {
      ShuffleAssignment assignment = cluster.assign(5, 1, 1);
      BackgroundPusher pusher = pusher(cluster, 2, 10);
      pusher.add(output(cluster, assignment, 1));
      pusher.add(output(cluster, assignment, 2));
      pusher.add(output(cluster, assignment, 3));
      pusher.close();
      pusher.close();
      pusher.add(output(cluster, assignment, 4));

      assertThat(pusher.awaitIdle(DEADLINE_MS)).isTrue();
      assertThat(pusher.counters().waitingOutputs()).isZero();
      assertThat(pusher.counters().pushedOutputs()).isZero();
    }
  }
}

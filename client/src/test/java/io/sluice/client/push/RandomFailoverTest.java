package io.sluice.client.push;

import static io.sluice.client.push.TestPushes.add;
import static io.sluice.client.push.TestPushes.assertWhole;
import static io.sluice.client.push.TestPushes.config;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.push.FailingServers.FaultKind;
import io.sluice.common.error.SluiceException;
import io.sluice.common.test.TestEffort;
import io.sluice.proto.Push;
import io.sluice.proto.ServerId;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Permanent failures at random pushes, lost connections, full partitions, and late answers of a
 * driver with few spare servers. With local output, every attempt succeeds. Without it, an attempt
 * may fail; one that succeeds has stored every block.
 */
class RandomFailoverTest {
  private static final int SERVERS = 5;

  private final Set<String> outcomes = new TreeSet<>();
  private int failed;

  @Test
  void losesNoBlockUnderRandomFailures() throws Exception {
    int seeds = TestEffort.times(40);
    for (int seed = 0; seed < seeds; seed++) {
      try {
        runAttempt(new Random(seed));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(failed).isBetween(1, seeds / 2);
    assertThat(outcomes).containsExactly("", "local", "replacement", "replacementlocal");
  }

  private void runAttempt(Random random) throws Exception {
    Faults faults = faults(random);
    int replicas = 1 + random.nextInt(2);
    int partitions = 1 + random.nextInt(30);
    CollectingSink sink = random.nextBoolean() ? new CollectingSink() : null;
    try (FakeCluster cluster = FakeCluster.inline(SERVERS, faults)) {
      cluster.use(config(1 + random.nextInt(replicas)));
      ShuffleAssignment assignment =
          cluster.assign(partitions, 1 + random.nextInt(Math.min(4, partitions)), replicas, 3);
      FakeDriver driver =
          new FakeDriver(
              cluster,
              assignment,
              Stream.of(3, 4, 1).limit(random.nextInt(4)).toArray(Integer[]::new));
      if (random.nextInt(3) == 0) {
        driver.delayAnswers();
      }
      for (int server = 0; server < SERVERS; server++) {
        if (random.nextInt(3) == 0) {
          cluster.server(server).callFullAbove(random.nextInt(60_000));
        }
      }
      try (FramedPushSession session =
          cluster.push(assignment, 5, 1, new PushOptions(null, driver, sink))) {
        addBatches(session, driver, partitions, random);
        driver.answerAll();
        session.finish();
        assertWhole(cluster, driver.newest(), sink, 5, session.partitionLengths());
        PushCounters counters = session.counters();
        outcomes.add(
            (counters.rerouted().replacementServers() > 0 ? "replacement" : "")
                + (counters.rerouted().localFrames() > 0 ? "local" : ""));
      } catch (PushFailedException e) {
        assertThat(sink).as(e.getMessage()).isNull();
        failed++;
      }
    }
  }

  private static Faults faults(Random random) {
    List<FaultKind> any = List.of(FaultKind.values());
    FailingServers servers = new FailingServers();
    for (int server = 0; server < SERVERS; server++) {
      if (random.nextInt(3) == 0) {
        servers.with(server, any.get(random.nextInt(any.size())), random.nextInt(12));
      }
    }
    return new Faults() {
      @Override
      public Fate connect(ServerId server) {
        return servers.connect(server);
      }

      @Override
      public Fate push(ServerId server, Push push, ByteBuf body) throws SluiceException {
        Fate fate = servers.push(server, push, body);
        return fate == Fate.DONE && random.nextInt(25) == 0
            ? (random.nextBoolean() ? Fate.LOST_BEFORE : Fate.LOST_AFTER)
            : fate;
      }
    };
  }

  private static void addBatches(
      PushSession session, FakeDriver driver, int partitions, Random random) throws IOException {
    int passes = 1 + random.nextInt(4);
    for (int pass = 0; pass < passes; pass++) {
      if (pass == passes - 1 && random.nextBoolean()) {
        session.beginFinalPass();
      }
      for (int partition = 0; partition < partitions; partition++) {
        for (int i = random.nextInt(4); i > 0; i--) {
          add(session, partition, 1 + random.nextInt(random.nextInt(10) == 0 ? 40_000 : 3000));
        }
        if (random.nextInt(8) == 0) {
          driver.answerOne();
        }
      }
    }
  }
}

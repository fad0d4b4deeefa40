package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.test.TestEffort;
import io.sluice.coordinator.log.InMemoryMetadataLog;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ServerState;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Goal: snapshot and records restore the state, for any order of operations and snapshots. Method:
 * random operations on a coordinator that writes snapshots often; from time to time a second
 * coordinator reads the log and must have an equal state.
 */
class ReplayTest {
  private static final int STEPS = 150;

  @Test
  void snapshotAndRecordsRestoreTheState() throws IOException {
    for (int seed = 1; seed <= TestEffort.times(20); seed++) {
      run(seed);
    }
  }

  private static void run(int seed) throws IOException {
    Random random = new Random(seed);
    InMemoryMetadataLog log = InMemoryMetadataLog.keeping();
    AtomicLong nanos = new AtomicLong();
    int snapshotAfter = 200 + random.nextInt(5000);
    LoggedCluster live = new LoggedCluster(log, nanos, snapshotAfter);
    try {
      for (int step = 0; step < STEPS; step++) {
        operate(live, random);
        if (random.nextInt(25) == 0) {
          live.close();
          List<LoggedChange> before = live.logged();
          live = new LoggedCluster(log, nanos, snapshotAfter);
          assertThat(live.logged()).as("seed %s step %s", seed, step).isEqualTo(before);
        }
      }
      assertThat(live.logged()).as("seed %s", seed).isNotEmpty();
    } finally {
      live.close();
    }
  }

  private static void operate(LoggedCluster cluster, Random random) {
    String application = "app-" + random.nextInt(40);
    HeartbeatRequest.Builder beat = FakeCluster.beatOf("host-" + random.nextInt(4), 1);
    switch (random.nextInt(16)) {
      case 0 -> cluster.exclude("host-" + random.nextInt(3), "other:1");
      case 1 -> cluster.exclude();
      case 2 -> cluster.decommission(beat, random.nextBoolean());
      case 3 -> cluster.heartbeat(beat.setLeaving(random.nextInt(4) == 0));
      case 4 -> {
        beat.getServerBuilder().setEpoch(beat.getServer().getEpoch() + random.nextInt(3));
        cluster.heartbeat(beat);
      }
      case 5 -> cluster.heartbeat(beat.setState(ServerState.SERVER_DRAINING));
      case 6, 7 -> cluster.register(application, "user-" + random.nextInt(3));
      case 8 -> cluster.renew(application, random.nextInt(3), "reason-" + random.nextInt(2));
      case 9 -> cluster.unregister(application);
      case 10 -> cluster.limit("user-" + random.nextInt(3), limits(random));
      case 11, 12 -> {
        cluster.pass(5000);
        cluster.sample(1 + random.nextInt(12));
      }
      case 13 -> {
        cluster.pass(random.nextInt(400_000));
        cluster.checkTimeouts();
      }
      case 14 -> cluster.revoke("user-" + random.nextInt(3), 1 + random.nextInt(900_000));
      case 15 -> cluster.report(application, "host-1:1", random.nextInt(1000));
      default -> throw new AssertionError();
    }
  }

  private static Map<String, Long> limits(Random random) {
    Map<String, Long> limits = new HashMap<>();
    if (random.nextBoolean()) {
      limits.put("applications", (long) random.nextInt(5));
    }
    if (random.nextBoolean()) {
      limits.put("bytes", -1L);
    }
    return limits;
  }
}

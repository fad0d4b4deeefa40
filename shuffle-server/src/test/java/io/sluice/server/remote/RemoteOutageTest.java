package io.sluice.server.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.background.SpilledShuffle;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.DiskWatch;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.HealthCause;
import io.sluice.server.disk.HealthConfig;
import io.sluice.server.disk.HealthState;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.WatchSteps;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.observe.ServerCounters;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A remote file system that refuses requests for a while, such as HDFS without its name node. */
class RemoteOutageTest {
  /** More than five times the time between probes of a local disk that is not healthy. */
  private static final long PROBE_MS = 10_000;

  private final AtomicLong nanos = new AtomicLong(1L << 40);
  private final InMemoryRemoteFileSystem fileSystem = new InMemoryRemoteFileSystem();
  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private final Disk tier =
      new Disk(
          new RemoteStorage(
              "remote",
              fileSystem,
              "host_1",
              () -> {
                throw new IOException("its directory is adopted in no test");
              },
              Long.MAX_VALUE,
              0),
          catalog,
          DiskLimits.DEFAULT,
          new DiskHealth("remote", RemoteTier.health(HealthConfig.DEFAULT), nanos::get),
          nanos::get);
  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private final RunFiles files = new RunFiles(8);
  private final ServerCounters counters = new ServerCounters();
  private final DiskWatch watch =
      WatchSteps.create(
          new Disks(List.of(tier)), store, files, new Random(7), counters, nanos::get, run -> {});
  private final SpilledShuffle shuffle =
      new SpilledShuffle(store, files, new ShuffleKey("app", 1), 1000);

  @AfterEach
  void everythingIsReleased() {
    fileSystem.failAlways(false);
    watch.close();
    store.removeApplication("app");
    store.close();
    files.deletePending();
    files.close();
    assertThat(fileSystem.openInputs()).isZero();
  }

  @Test
  void uploadedRunsAreServedAfterIt() throws Exception {
    RunFile run = shuffle.spill(tier, 3);
    check(1);
    fileSystem.failAlways(true);
    for (int i = 0; i < 30; i++) {
      for (int read = 0; read < 5; read++) {
        tier.health().readFailed(run.failedRead(), new IOException("connection refused"));
      }
      check(1);
      assertThat(tier.mayWrite(1)).isFalse();
    }
    expect(HealthState.SUSPECT, HealthCause.PROBE_FAILED);

    fileSystem.failAlways(false);
    check(3);

    expect(HealthState.HEALTHY, HealthCause.NONE);
    assertThat(counters.lostRuns()).isZero();
    assertThat(tier.mayWrite(1)).isTrue();
    shuffle.checkEveryBlock();
  }

  @Test
  void uploadedRunsAreLostIfItTakesTooLong() throws Exception {
    shuffle.spill(tier, 3);
    check(1);
    fileSystem.failAlways(true);
    check(3);
    expect(HealthState.SUSPECT, HealthCause.PROBE_FAILED);
    pass(5 * HealthConfig.DEFAULT.lostAfterMs());
    check(1);
    expect(HealthState.LOST, HealthCause.PROBE_FAILED);
    assertThat(counters.lostRuns()).isEqualTo(1);

    fileSystem.failAlways(false);
    check(4);

    expect(HealthState.HEALTHY, HealthCause.NONE);
    assertThat(fileSystem.paths()).isEmpty();
    assertThat(catalog.runs()).isEmpty();
  }

  @Test
  void aFileSystemWithoutDataNodesIsNotFull() {
    fileSystem.put("other", new byte[90]);
    fileSystem.capacityBytes(100);
    tier.refresh();
    assertThat(tier.mayWrite(1)).isTrue();
    fileSystem.capacityBytes(0);
    tier.refresh();
    assertThat(tier.mayWrite(1)).isFalse();
    fileSystem.capacityBytes(100);
    tier.refresh();
    // Above the low watermark.
    assertThat(tier.mayWrite(1)).isTrue();
  }

  /** Probes the tier at its intervals, and declares its runs lost if it is lost. */
  private void check(int times) {
    for (int i = 0; i < times; i++) {
      pass(PROBE_MS);
      WatchSteps.check(watch, 0);
      WatchSteps.check(watch);
    }
  }

  private void pass(long ms) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  private void expect(HealthState state, HealthCause cause) {
    assertThat(tier.health().state()).isEqualTo(state);
    assertThat(tier.health().cause()).isEqualTo(cause);
  }
}

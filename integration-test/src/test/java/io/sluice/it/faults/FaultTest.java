package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.spark.BuiltInDigests;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Faults: the common ones in the default mode in every build, all of them in every mode nightly.
 * One application per mode runs one shuffle per fault; the cluster is repaired between two of them.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(600)
class FaultTest {
  private static final int SERVERS = 3;

  /** Server that some executors reach through the link; other faults affect the first server. */
  private static final int LINKED_SERVER = 1;

  // Regular expressions that select modes and faults in manual runs.
  private static final String ONLY_MODES = System.getProperty("sluice.test.modes", ".*");
  private static final String ONLY_FAULTS = System.getProperty("sluice.test.faults", ".*");

  private static final Set<Fault> COMMON =
      EnumSet.of(
          Fault.NONE,
          Fault.SERVER_LOST_DURING_MAPS,
          Fault.SERVER_LOST_AFTER_MAPS,
          Fault.EXECUTOR_LOST_AFTER_MAPS);

  @TempDir static Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;
  private Link link;

  @BeforeAll
  void startCluster() throws IOException, InterruptedException {
    cluster = FaultCluster.builder(directory.resolve("cluster")).servers(SERVERS).build();
    cluster.servers().get(LINKED_SERVER).configure("rss.server.host", ExecutorHosts.NAME);
    cluster.start();
    link = new Link(ExecutorHosts.OTHER_ADDRESS, cluster.servers().get(LINKED_SERVER).nettyPort());
    link.start();
    probe = new ClusterProbe(cluster);
    probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));
  }

  @AfterAll
  void stopCluster() {
    if (link != null) {
      link.close();
    }
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  @Test
  void commonFaultsChangeNoRowAndRepeatOnlyLostTasks() throws IOException, InterruptedException {
    check(Mode.FALLBACK, List.copyOf(COMMON));
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  @Tag("nightly")
  void noFaultChangesARowOrCostsMoreThanItMust(Mode mode) throws IOException, InterruptedException {
    assumeTrue(mode.name().matches(ONLY_MODES), "a property of the command leaves out this mode");
    check(mode, faultsOf(mode));
  }

  private void check(Mode mode, List<Fault> faults) throws IOException, InterruptedException {
    String name = mode + "-" + faults.size();
    Path home = directory.resolve(name);
    FaultInjector injector = new FaultInjector(cluster, probe, home, link);
    SparkApplication application =
        mode.configure(FaultCluster.impatient(SparkApplication.onSluice(home, cluster.quorum())));
    ExecutorHosts.write(directory.resolve("hosts-" + name)).configure(application);
    List<String> jobs = new ArrayList<>();
    for (Fault fault : faults) {
      String mended = "mend/" + fault;
      application.at(mended, injector::mend);
      fault
          .injections()
          .keySet()
          .forEach(
              point ->
                  application.at(fault + "/" + point.text(), () -> injector.inject(fault, point)));
      jobs.addAll(List.of("pause:" + mended, fault.job()));
    }

    long relayedBefore = link.relayedBytes();
    Outcome found = application.run(jobs);
    injector.mend();

    assertThat(link.relayedBytes()).as("bytes over the link").isGreaterThan(relayedBefore);
    SoftAssertions softly = new SoftAssertions();
    softly.assertThat(found.exitCode()).isZero();
    for (Fault fault : faults) {
      check(softly, mode, fault, found, injector);
      checkWay(softly, mode, fault, found);
    }
    softly.assertAll();
  }

  private static List<Fault> faultsOf(Mode mode) {
    List<Fault> faults = new ArrayList<>(List.of(Fault.values()));
    if (mode == Mode.TWO_COPIES) {
      faults.removeAll(
          Set.of(
              Fault.ALL_SERVERS_LOST_BEFORE_MAPS,
              Fault.ALL_SERVERS_LOST_DURING_MAPS,
              Fault.EXECUTOR_WITH_LOCAL_OUTPUT_LOST));
    }
    faults.removeIf(fault -> !fault.name().matches(ONLY_FAULTS));
    return faults;
  }

  private void check(
      SoftAssertions softly, Mode mode, Fault fault, Outcome found, FaultInjector injector) {
    String what = mode + " " + fault;
    String job = fault.job();
    softly.assertThat(found.digest(job)).as(what).isEqualTo(BuiltInDigests.of(job));
    Expectation expected = Expectation.of(mode, fault);
    long again = found.number(job, "mapTasks") - Expectation.MAPS;
    System.out.printf(
        "%s: %d maps again, fetch failures %d, tasks lost %d, other failures %d, stages failed %d,"
            + " local bytes %d, remote bytes %d%n",
        what,
        again,
        found.number(job, "fetchFailures"),
        found.number(job, "lostTasks"),
        found.number(job, "otherFailures"),
        found.number(job, "failedStages"),
        found.number(job, "localBytesRead"),
        found.number(job, "remoteBytesRead"));
    softly
        .assertThat(again)
        .as(what + " repeated maps")
        .isBetween((long) expected.leastMaps(), (long) expected.mostMaps());
    if (!expected.failures()) {
      softly.assertThat(found.number(job, "failedTasks")).as(what + " failed tasks").isZero();
    }
    if (fault == Fault.EXECUTOR_WITH_LOCAL_OUTPUT_LOST) {
      softly
          .assertThat(again)
          .as(what + " maps of the lost executor")
          .isEqualTo(injector.mapsOfLostExecutor(fault));
    }
  }

  /** Checks by the counters of the shuffle that the expected failover happened. */
  private static void checkWay(SoftAssertions softly, Mode mode, Fault fault, Outcome found) {
    String what = mode + " " + fault;
    long replacements = found.shuffle(fault.job(), "generation");
    long local = found.shuffle(fault.job(), "writes.localBytes");
    System.out.printf("%s: replacement servers %d, local bytes %d%n", what, replacements, local);
    if (Expectation.goesAround(mode, fault)) {
      softly.assertThat(replacements + local).as(what + " failovers").isPositive();
    }
    if (fault == Fault.NONE) {
      softly.assertThat(replacements).as(what + " replacement servers").isZero();
    }
    switch (mode) {
      case FALLBACK -> {
        if (fault == Fault.NONE) {
          softly.assertThat(local).as(what + " local outputs").isZero();
        }
      }
      case ALWAYS -> {
        if (fault == Fault.ALL_SERVERS_LOST_BEFORE_MAPS) {
          softly
              .assertThat(found.number(fault.job(), "localBytesRead"))
              .as(what + " local bytes")
              .isPositive();
        }
      }
      case TWO_COPIES -> softly.assertThat(local).as(what + " local outputs").isZero();
    }
  }
}

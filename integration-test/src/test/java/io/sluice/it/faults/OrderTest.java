package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: results that depend on the order of records are the same in every run, also when servers
 * are lost, restart or stall. Each run has another fault. The property {@code
 * sluice.test.order.runs} sets the number of runs.
 */
@Timeout(900)
class OrderTest {
  private static final int SERVERS = 3;

  private static final List<Fault> FAULTS =
      List.of(
          Fault.NONE,
          Fault.SERVER_LOST_AFTER_MAPS,
          Fault.SERVER_LOST_DURING_MAPS,
          Fault.SERVER_RESTARTED_DURING_MAPS,
          Fault.SERVER_LOST_DURING_READ,
          Fault.ALL_SERVERS_LOST_DURING_MAPS,
          Fault.SERVER_STALLED_DURING_MAPS);

  @TempDir Path directory;

  @Test
  @Tag("nightly")
  void everyRunHasTheSameResults() throws IOException, InterruptedException {
    check(Mode.FALLBACK, Integer.getInteger("sluice.test.order.runs", 20));
  }

  @Test
  @Tag("nightly")
  void runsWithLocalOutputHaveTheSameResults() throws IOException, InterruptedException {
    check(Mode.ALWAYS, Integer.getInteger("sluice.test.order.runs", 7));
  }

  private static String name(int run, Fault fault) {
    return run + "-" + fault;
  }

  private static String job(int run, Fault fault) {
    return fault.job().replace("faults/" + fault, "order/" + name(run, fault));
  }

  private void check(Mode mode, int runs) throws IOException, InterruptedException {
    try (LocalCluster cluster =
        FaultCluster.builder(directory.resolve("cluster")).servers(SERVERS).build()) {
      cluster.start();
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));
        Path home = directory.resolve("application");
        FaultInjector injector = new FaultInjector(cluster, probe, home, null);
        SparkApplication application =
            mode.configure(
                // Slices of impatient reads are too small for the default of this key.
                FaultCluster.impatient(SparkApplication.onSluice(home, cluster.quorum()))
                    .set("spark.rss.read.ordered.size", "8m"));
        List<String> steps = new ArrayList<>();
        List<String> records = new ArrayList<>();
        List<String> rows = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
          Fault fault = FAULTS.get(run % FAULTS.size());
          String name = name(run, fault);
          fault
              .injections()
              .keySet()
              .forEach(
                  point ->
                      application.at(
                          name + "/" + point.text(), () -> injector.inject(fault, point)));
          application.at("mend/" + name, injector::mend);
          records.add(job(run, fault));
          String onTheRest = "orderSensitive#" + run;
          rows.add(onTheRest);
          steps.add(job(run, fault));
          // Without any server, it would use the built-in shuffle, which has no defined order.
          steps.addAll(
              fault == Fault.ALL_SERVERS_LOST_DURING_MAPS
                  ? List.of("pause:mend/" + name, onTheRest)
                  : List.of(onTheRest, "pause:mend/" + name));
        }
        Outcome found = application.run(steps);
        assertThat(found.exitCode()).as(found.log()).isZero();
        assertThat(found.fallbacks()).isEmpty();
        assertThat(records.stream().map(found::digest).distinct()).as("records").hasSize(1);
        assertThat(rows.stream().map(found::digest).distinct()).as("rows").hasSize(1);
      }
    }
  }
}

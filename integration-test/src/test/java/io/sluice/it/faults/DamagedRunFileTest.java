package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.run.DamagedBlock;
import io.sluice.common.run.RunBlock;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunReader;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a bit that flips in a run file, between the map tasks and the reduce tasks of a job, costs
 * exactly the map tasks whose blocks were damaged, and nothing if there is another copy.
 *
 * <p>Method: a clean stop of a server writes all blocks to run files. It is started again, the bits
 * flip, and the reduce tasks start.
 */
@Timeout(900)
@Tag("nightly")
class DamagedRunFileTest {
  private static final String CALM = "faults/calm";
  private static final String DAMAGED = "faults/damaged@mapped";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;
  // Map tasks of the damaged blocks.
  private final Set<Integer> damagedMaps = new TreeSet<>();
  private int damagedBlocks;

  @AfterEach
  void stop() {
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  private void start(LocalCluster.Builder builder, int servers)
      throws IOException, InterruptedException {
    cluster = builder.servers(servers).build();
    probe = new ClusterProbe(cluster);
    cluster.start();
    probe.awaitActiveServers(servers, LIMIT);
  }

  private LocalCluster.Builder builder() {
    return FaultCluster.builder(directory.resolve("cluster"));
  }

  private Outcome run(Mode mode, SparkApplication.Action damage)
      throws IOException, InterruptedException {
    SparkApplication application =
        mode.configure(
            FaultCluster.awaitingRestarts(
                SparkApplication.onSluice(directory.resolve("job"), cluster.quorum())));
    Outcome found = application.at("damaged/mapped", damage).run(List.of(CALM, DAMAGED));
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.digest(DAMAGED)).isEqualTo(found.digest(CALM));
    assertThat(found.number(CALM, "mapTasks")).isEqualTo(Expectation.MAPS);
    return found;
  }

  /** A reader finds two damaged blocks of one partition. */
  @Test
  void repeatsExactlyTheMapsConcernedWithoutACopy() throws IOException, InterruptedException {
    start(builder(), 1);

    Outcome found = run(Mode.FALLBACK, () -> damage(onePartition(2)));

    assertThat(damagedMaps).hasSize(2);
    assertThat(found.number(DAMAGED, "mapTasks")).isEqualTo(Expectation.MAPS + 2);
    assertThat(found.number(DAMAGED, "failedTasks")).isEqualTo(1);
    assertThat(lostBlocks()).isEqualTo(2);
    assertThat(probe.metric(server(), "sluice_server_damage_reports_confirmed_total")).isEqualTo(2);
    assertThat(probe.status(server()).getLostRuns()).isZero();
  }

  /** Scrubbing finds the blocks before a reader does. */
  @Test
  void repeatsExactlyTheMapsOfBlocksThatScrubbingFound() throws IOException, InterruptedException {
    start(
        builder()
            .configureServers("rss.server.scrub.interval", "1s")
            .configureServers("rss.server.scrub.bandwidth", "1g"),
        1);

    Outcome found =
        run(
            Mode.FALLBACK,
            () -> {
              damage(onePartition(2));
              probe.await("damage found by scrubbing", LIMIT, () -> lostBlocks() == 2);
            });

    assertThat(found.number(DAMAGED, "mapTasks")).isEqualTo(Expectation.MAPS + 2);
    assertThat(found.number(DAMAGED, "failedTasks")).isEqualTo(1);
    assertThat(probe.metric(server(), "sluice_server_damage_reports_confirmed_total")).isZero();
    assertThat(probe.status(server()).getLostRuns()).isZero();
  }

  /** The first block of every partition is damaged: no map output would be left without a copy. */
  @Test
  void repeatsNothingWithAReplica() throws IOException, InterruptedException {
    start(builder(), 2);

    Outcome found = run(Mode.TWO_COPIES, () -> damage(everyPartition()));

    assertThat(found.number(DAMAGED, "mapTasks")).isEqualTo(Expectation.MAPS);
    assertThat(found.number(DAMAGED, "failedTasks")).isZero();
    assertThat(lostBlocks()).as("found by the tasks that began there").isPositive();
    // Readers write them again from the replica.
    probe.await(
        "blocks written again",
        LIMIT,
        () -> probe.status(server()).getPushedBlocks() >= lostBlocks());
  }

  @Test
  void repeatsNothingWithLocalOutput() throws IOException, InterruptedException {
    start(builder(), 1);

    Outcome found =
        run(
            Mode.ALWAYS,
            () -> {
              probe.await(
                  "blocks pushed in the background",
                  LIMIT,
                  () -> probe.status(server()).getPushedBlocks() > 0);
              damage(everyPartition());
            });

    assertThat(found.number(DAMAGED, "mapTasks")).isEqualTo(Expectation.MAPS);
    assertThat(found.number(DAMAGED, "failedTasks")).isZero();
    assertThat(lostBlocks()).isPositive();
  }

  private ClusterNode server() {
    return cluster.servers().get(0);
  }

  private long lostBlocks() throws IOException, InterruptedException {
    return (long) probe.metric(server(), "sluice_server_lost_blocks_total");
  }

  /** Selects blocks of a run to damage. */
  private interface Selection {
    List<DamagedBlock> of(RunReader run) throws IOException;
  }

  /** Blocks of different map tasks in the first partition. */
  private static Selection onePartition(int count) {
    return run -> {
      RunExtent extent = run.extents().get(0);
      List<DamagedBlock> all = blocks(run, extent);
      Set<Integer> maps = new TreeSet<>();
      all.removeIf(block -> maps.size() >= count || !maps.add(block.listed().mapIndex()));
      return all;
    };
  }

  private static Selection everyPartition() {
    return run -> {
      List<DamagedBlock> first = new ArrayList<>();
      for (RunExtent extent : run.extents()) {
        first.add(blocks(run, extent).get(0));
      }
      return first;
    };
  }

  private static List<DamagedBlock> blocks(RunReader run, RunExtent extent) throws IOException {
    List<DamagedBlock> blocks = new ArrayList<>();
    long at = extent.fileOffset();
    for (RunBlock block : run.blocks(extent)) {
      blocks.add(new DamagedBlock(extent.partition(), at, block, null));
      at += block.length();
    }
    return blocks;
  }

  private void damage(Selection selection) throws IOException, InterruptedException {
    server().stop();
    server().start();
    Path file = newestRun();
    List<DamagedBlock> blocks;
    try (RunReader run = RunReader.open(file)) {
      blocks = selection.of(run);
    }
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      for (DamagedBlock block : blocks) {
        long at = block.fileOffset() + block.length() - 1;
        open.seek(at);
        int flipped = open.read() ^ 1;
        open.seek(at);
        open.write(flipped);
        damagedMaps.add(block.listed().mapIndex());
        damagedBlocks++;
      }
    }
    assertThat(damagedBlocks).isPositive();
  }

  /** A run of the latest shuffle on the first server. */
  private Path newestRun() throws IOException {
    Path newest = null;
    int shuffle = -1;
    try (Stream<Path> files = Files.walk(server().directory())) {
      for (Path file : files.filter(path -> path.toString().endsWith(".run")).toList()) {
        try (RunReader run = RunReader.open(file)) {
          if (run.header().shuffle() > shuffle) {
            shuffle = run.header().shuffle();
            newest = file;
          }
        }
      }
    }
    assertThat(newest).as("run file").isNotNull();
    return newest;
  }
}

package io.sluice.it.faults;

import io.sluice.cli.secure.LocalSecrets;
import io.sluice.cli.secure.SecureSources;
import io.sluice.common.test.SeedRange;
import io.sluice.demo.staging.ClusterSecrets.Access;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * A cluster of three coordinators and three servers, with authentication and TLS, for jobs under
 * random faults. If file systems can be mounted, one server has a small disk.
 */
public final class RandomFaults implements AutoCloseable {
  /** A seed or a range: {@code -Dsluice.test.seeds=1-20}. */
  private static final String SEEDS = "sluice.test.seeds";

  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int NODES = 3;
  private static final int SMALL_DISK_MB = 24;

  private final Access access;
  private final Optional<SmallDisk> disk;
  private final LocalCluster cluster;
  private final ClusterProbe probe;
  private final List<Link> links = new ArrayList<>();

  /**
   * Starts the cluster.
   *
   * @param directory for all its files
   * @param builder a cluster with short timeouts
   * @param linked whether task processes with a hosts file of {@link ExecutorHosts} reach servers
   *     over links
   */
  public RandomFaults(Path directory, LocalCluster.Builder builder, boolean linked)
      throws IOException, InterruptedException {
    Files.createDirectories(directory);
    access = new LocalSecrets(SecureSources.ofMachine()).create(directory.resolve("secure"));
    disk = SmallDisk.create(directory.resolve("small-disk"), SMALL_DISK_MB);
    builder
        .coordinators(NODES)
        .servers(NODES)
        .configureCoordinators("rss.coordinator.app.expired", "15s")
        .configureServers("rss.server.app.expired.withoutHeartbeat", "15s")
        .configureServers("rss.server.buffer.capacity", "16m")
        // Nearly all blocks are in run files.
        .configureServers("rss.server.memory.shuffle.highWaterMark.percentage", "4")
        .configureServers("rss.server.memory.shuffle.lowWaterMark.percentage", "1");
    access.coordinator().forEach(builder::configureCoordinators);
    access.server().forEach(builder::configureServers);
    cluster = builder.build();
    if (disk.isPresent()) {
      last().configure("rss.storage.basePath", disk.get().directory().resolve("data").toString());
    }
    probe = new ClusterProbe(cluster, access.admin());
    if (linked) {
      cluster.servers().forEach(server -> server.configure("rss.server.host", ExecutorHosts.NAME));
    }
    cluster.start();
    if (linked) {
      for (ClusterNode server : cluster.servers()) {
        Link link = new Link(ExecutorHosts.OTHER_ADDRESS, server.nettyPort());
        link.start();
        links.add(link);
      }
    }
    awaitServers();
  }

  private ClusterNode last() {
    return cluster.servers().get(NODES - 1);
  }

  /** Seeds of this run. */
  public static LongStream seeds() {
    return SeedRange.ofProperty(SEEDS, "1-3").seeds();
  }

  /** Configuration that lets jobs use the cluster. */
  public Access access() {
    return access;
  }

  public LocalCluster cluster() {
    return cluster;
  }

  /** A player of the faults of a seed. */
  public FaultPlayer player(long seed, TaskProcesses tasks) {
    FaultSchedule schedule =
        FaultSchedule.of(seed, FaultPlayer.kinds(!links.isEmpty(), disk.isPresent()));
    return new FaultPlayer(cluster, links, tasks, disk, schedule);
  }

  public void awaitServers() throws IOException, InterruptedException {
    probe.awaitActiveServers(NODES, LIMIT);
  }

  /** Waits until no process knows an application, and no server stores a byte. */
  public void awaitNothingLeft() throws IOException, InterruptedException {
    probe.await("no coordinator knows an application", LIMIT, () -> probe.applications().isEmpty());
    for (ClusterNode server : cluster.servers()) {
      probe.awaitEmpty(server, LIMIT);
    }
  }

  /** Appends a line about a run to the file of all runs. */
  public static void record(String line) throws IOException {
    System.out.println(line);
    Files.writeString(
        Files.createDirectories(Path.of("target")).resolve("random-faults.txt"),
        line + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  @Override
  public void close() throws IOException {
    links.forEach(Link::close);
    probe.close();
    cluster.close();
    if (disk.isPresent()) {
      disk.get().close();
    }
  }
}

package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * One job of each kind over Sluice, compared with the built-in shuffle of the same Spark version
 * and Java runtime.
 */
final class ComparedJobs implements AutoCloseable {
  /** Each code path of writing and reading once. */
  private static final List<String> JOBS =
      List.of(
          "groupByKey",
          "sortByKey",
          "aggregateByKey",
          "javaSerializerFewPartitions",
          "javaSerializerManyPartitions",
          "emptyShuffle",
          "twoStages",
          "join",
          "skewJoin",
          "localReader",
          "rowChecksums");

  /** Jobs whose rows are encoded as row planes, by a private field of Spark's serializer. */
  private static final List<String> ROW_JOBS = List.of("skewJoin", "localReader");

  /** Maximum bytes that {@link #ROW_JOBS} write, of those of the built-in shuffle. */
  private static final long ROW_PERCENT = 80;

  /** A fetch failure of user code that names an executor causes one retry of the stage. */
  private static final String BLAMED = "executorBlamed";

  private static final String SETTINGS = "settings";

  private final Path directory;
  private final LocalCluster cluster;
  private final ClusterProbe probe;

  /**
   * Starts a cluster, which {@link #close} stops.
   *
   * @param directory directory for the files of the cluster and of all applications
   */
  ComparedJobs(Path directory) throws IOException, InterruptedException {
    this(directory, builder -> builder);
  }

  /** Starts a cluster with other settings, such as the class path of another release. */
  ComparedJobs(Path directory, UnaryOperator<LocalCluster.Builder> settings)
      throws IOException, InterruptedException {
    this.directory = directory;
    cluster =
        settings
            .apply(
                TestCluster.builder(directory.resolve("cluster"))
                    .configureServers("rss.server.buffer.capacity", "64MiB"))
            .build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    try {
      probe.awaitActiveServers(2, Duration.ofSeconds(30));
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Addresses of the coordinators, as jobs need them. */
  String quorum() {
    return cluster.quorum();
  }

  @Override
  public void close() {
    probe.close();
    cluster.close();
  }

  /** Runs all jobs twice, and fails if their results differ or Sluice was not used for all. */
  void compare(SparkVersion spark, EngineJava java) throws IOException, InterruptedException {
    compare(spark, java, spark.clientJar());
  }

  /** {@link #compare(SparkVersion, EngineJava)} with another jar of the plugin. */
  void compare(SparkVersion spark, EngineJava java, Path clientJar)
      throws IOException, InterruptedException {
    List<String> jobs = new ArrayList<>(JOBS);
    jobs.add(BLAMED);
    Outcome own = new SparkApplication(spark, path(spark, java, "own")).onJava(java).run(jobs);
    assertThat(own.exitCode()).as(own.log()).isZero();
    jobs.add(SETTINGS);
    ClusterCounters before = probe.counters();

    // Spark 3 creates its shuffle manager before it has fetched the jars of --jars.
    SparkApplication application =
        spark.isAtLeast(SparkVersion.SPARK_4_0)
            ? SparkApplication.submittedWithJars(
                spark, path(spark, java, "sluice"), cluster.quorum())
            : SparkApplication.onSluice(spark, path(spark, java, "sluice"), cluster.quorum());

    Outcome found = application.onJava(java).withClientJar(clientJar).withOneExecutor().run(jobs);

    assertThat(found.exitCode()).as(found.log()).isZero();
    long written = 0;
    for (String job : JOBS) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job)).doesNotContain("error");
      assertThat(found.number(job, "failedTasks")).as(job + " failed tasks").isZero();
      assertThat(found.number(job, "localBytesRead")).as(job + " read from local disks").isZero();
      assertThat(found.results().getProperty(job + ".preferredHosts"))
          .as(job + " preferred locations")
          .isEmpty();
      written += found.number(job, "bytesWritten");
    }
    assertThat(found.digest(BLAMED)).isEqualTo(own.digest(BLAMED)).doesNotContain("error");
    assertThat(found.number(BLAMED, "failedStages")).isEqualTo(1);
    written += found.number(BLAMED, "bytesWritten");
    assertThat(probe.counters().since(before).pushedBytes()).isEqualTo(written).isPositive();
    assertThat(bytesOfRows(found))
        .as("bytes of rows with row planes")
        .isPositive()
        .isLessThan(bytesOfRows(own) * ROW_PERCENT / 100);
    assertSettingsArrived(spark, found);
    assertThat(found.results().getProperty("rowChecksums.plan"))
        .contains(spark.isAtLeast(SparkVersion.SPARK_4_1) ? "checksum=" : "checksum=none")
        .doesNotContain(
            spark.isAtLeast(SparkVersion.SPARK_4_1) ? "checksum=none" : "checksum=0",
            "checksum=0 ");
  }

  private static long bytesOfRows(Outcome outcome) {
    return ROW_JOBS.stream().mapToLong(job -> outcome.number(job, "bytesWritten")).sum();
  }

  private static void assertSettingsArrived(SparkVersion spark, Outcome found) {
    assertThat(found.results().getProperty(SETTINGS + ".plan"))
        .isEqualTo(
            "session localReader=false;"
                + " driver reliable="
                + (spark.isAtLeast(SparkVersion.SPARK_3_5_SCALA_2_12) ? "true" : "none")
                + " tracking=unset wholeHost=false;"
                + " executor manager=RssShuffleManager"
                + " io=org.apache.spark.shuffle.RssShuffleDataIo");
  }

  private Path path(SparkVersion spark, EngineJava java, String name) {
    return directory.resolve(spark.label() + "-java-" + java.feature() + "-" + name);
  }
}

package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs with the configuration of another shuffle service, changed as in {@code docs/migrating.md}.
 * A machine with Spark's external shuffle service stands for the cluster before.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("nightly")
@Timeout(600)
class MigrationTest {
  private static final int SERVERS = 2;
  private static final List<String> JOBS = List.of("groupByKey", "sortByKey", "skewJoin");

  @TempDir static Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;
  private ExternalShuffleService service;
  private Outcome before;

  @BeforeAll
  void runWithTheExternalShuffleService() throws IOException, InterruptedException {
    cluster = TestCluster.builder(directory.resolve("cluster")).servers(SERVERS).build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));
    service = new ExternalShuffleService(directory.resolve("service"));
    service.start();
    before = external("before").run(JOBS);
    assertThat(before.exitCode()).as(before.log()).isZero();
  }

  @AfterAll
  void stop() {
    if (service != null) {
      service.close();
    }
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  /** An application before the migration. */
  private SparkApplication external(String name) {
    return service
        .configure(new SparkApplication(directory.resolve(name)))
        .set("spark.master", "local-cluster[2,1,1024]")
        .set("spark.shuffle.push.enabled", "true")
        .set("spark.dynamicAllocation.enabled", "true")
        .set("spark.dynamicAllocation.initialExecutors", "2");
  }

  private SparkApplication changed(SparkApplication application) {
    return application
        .set("spark.shuffle.manager", "org.apache.spark.shuffle.RssShuffleManager")
        .set("spark.rss.coordinator.quorum", cluster.quorum())
        .set("spark.rss.access.timeout.ms", "60s");
  }

  private void assertOnSluice(Outcome found) {
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.shufflesOnSluice()).isGreaterThanOrEqualTo(JOBS.size());
    assertSameRows(found);
  }

  private void assertSameRows(Outcome found) {
    for (String job : JOBS) {
      assertThat(found.digest(job)).as(job).isEqualTo(before.digest(job));
    }
  }

  /** Only the coordinators change: keys of Uniffle's guide, with its names of classes. */
  @Test
  void aConfigurationOfUniffle() throws IOException, InterruptedException {
    Outcome found =
        SparkApplication.onSluice(directory.resolve("uniffle"), cluster.quorum())
            .set("spark.shuffle.manager", "org.apache.spark.shuffle.DelegationRssShuffleManager")
            .set("spark.plugins", "org.apache.spark.UnifflePlugin")
            .set("spark.shuffle.sort.io.plugin.class", "org.apache.spark.shuffle.RssShuffleDataIo")
            .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
            .set("spark.sql.adaptive.localShuffleReader.enabled", "false")
            .set("spark.rss.access.id", "team")
            .set("spark.rss.client.type", "GRPC_NETTY")
            .set("spark.rss.client.blockIdSelfManagedEnabled", "true")
            .set("spark.rss.client.read.buffer.size", "14m")
            .set("spark.rss.client.reassign.enabled", "true")
            .set("spark.rss.data.replica", "1")
            .set("spark.rss.data.replica.write", "1")
            .set("spark.rss.index.read.limit", "500")
            .set("spark.rss.remote.storage.path", "hdfs://namenode:8020/rss")
            .set("spark.rss.storage.type", "MEMORY_HDFS")
            .set("spark.rss.writer.buffer.size", "3m")
            .set("spark.rss.writer.buffer.spill.size", "128m")
            .run(JOBS);

    assertOnSluice(found);
  }

  /** The keys of the table are changed; the others can stay. */
  @Test
  void aConfigurationOfCeleborn() throws IOException, InterruptedException {
    Outcome found =
        changed(new SparkApplication(directory.resolve("celeborn")))
            .set("spark.master", "local-cluster[2,1,1024]")
            .set("spark.celeborn.master.endpoints", "namenode:9097")
            .set("spark.celeborn.client.spark.shuffle.writer", "hash")
            .set("spark.shuffle.service.enabled", "false")
            .set("spark.sql.adaptive.localShuffleReader.enabled", "false")
            .set("spark.rss.data.replica", "2")
            .run(JOBS);

    assertOnSluice(found);
  }

  /**
   * The canary is one application with two more keys, beside another without them. Back is the
   * configuration from before.
   */
  @Test
  void aCanaryOfTheExternalShuffleServiceAndBack() throws IOException, InterruptedException {
    CompletableFuture<Outcome> beside =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return external("beside").run(JOBS);
              } catch (IOException | InterruptedException e) {
                throw new CompletionException(e);
              }
            });
    assertOnSluice(changed(external("canary")).run(JOBS));
    assertBuiltIn(beside.join());

    assertBuiltIn(external("back").run(JOBS));
  }

  private void assertBuiltIn(Outcome found) {
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.shufflesOnSluice()).isZero();
    assertSameRows(found);
  }
}

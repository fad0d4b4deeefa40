package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.FreePorts;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Spark Connect client in a separate process whose query uses Sluice. */
@Tag("nightly")
class ConnectTest {
  private static final SparkVersion SPARK = SparkVersion.SPARK_4_2;

  @TempDir static Path directory;

  /** Expected result: 500 keys with 100 values each, joined with 1,000 counts. */
  private static List<String> expectedRows() {
    return LongStream.range(0, 500)
        .mapToObj(key -> "[" + key + "," + (100 * key + 500 * (99 * 100 / 2)) + ",10]")
        .toList();
  }

  @Test
  void aQueryOfAClientShufflesThroughServers() throws IOException, InterruptedException {
    int port = new FreePorts(new Random()).next();
    Path rows = directory.resolve("rows");
    try (LocalCluster cluster = TestCluster.builder(directory.resolve("cluster")).build()) {
      cluster.start();
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(2, Duration.ofSeconds(30));
        SparkApplication server =
            SparkApplication.onSluice(SPARK, directory.resolve("server"), cluster.quorum())
                .withJar(SparkVersion.connectJar("spark-connect"))
                .set("spark.plugins", "org.apache.spark.sql.connect.SparkConnectPlugin")
                .set("spark.connect.grpc.binding.address", "127.0.0.1")
                .set("spark.connect.grpc.binding.port", Integer.toString(port))
                .set("spark.sql.autoBroadcastJoinThreshold", "-1")
                .at("serving", () -> ConnectClient.run(SPARK, "sc://127.0.0.1:" + port, rows));

        Outcome served = server.run(List.of("pause:serving"));

        assertThat(served.exitCode()).as(served.log()).isZero();
        assertThat(Files.readAllLines(rows)).isEqualTo(expectedRows());
        assertThat(served.fallbacks()).isEmpty();
        assertThat(served.shufflesOnSluice()).as("two groupings and a sort").isEqualTo(3);
        assertThat(served.ofAllShuffles("writes.localBytes")).isZero();
        assertThat(probe.counters().pushedBytes()).isPositive();
      }
    }
  }
}

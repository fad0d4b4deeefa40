package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Benchmarks of a running cluster. */
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
class BenchCommandsTest {
  @TempDir static Path directory;
  @AutoClose private CommandCluster cluster;

  @BeforeAll
  void start() throws IOException {
    cluster = new CommandCluster(directory);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GRPC_NETTY", "GRPC"})
  void fetchesEveryPushedBlock(String transport) {
    CliRun run =
        cluster.run(
            "bench",
            "fetch",
            "--transport",
            transport,
            "--total",
            "3m",
            "--block-size",
            "10k",
            "--partitions",
            "7",
            "--connections",
            "5",
            "--frame-size",
            "64k");

    assertThat(run.err()).doesNotContain("sluice bench");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("308 in ").contains("throughput").contains("p99.9");
    assertThat(cluster.run("admin", "applications").out().lines()).hasSize(1);
  }

  @Test
  void keptDataCanBeFetchedLaterByApplication() {
    CliRun push =
        cluster.run(
            "bench",
            "push",
            "--application",
            "kept",
            "--keep",
            "--total",
            "1m",
            "--partitions",
            "5");
    assertThat(push.exitCode()).isZero();
    assertThat(push.out()).contains("bench fetch --application kept --partitions 5");
    assertThat(cluster.run("admin", "applications").out()).contains("kept");

    CliRun fetch = cluster.run("bench", "fetch", "--application", "kept", "--partitions", "5");
    assertThat(fetch.exitCode()).isZero();
    assertThat(fetch.out()).contains("11 in ");

    CliRun again = cluster.run("bench", "fetch", "--application", "kept", "--partitions", "5");
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err().lines()).last().asString().startsWith("sluice bench fetch: ");
  }
}

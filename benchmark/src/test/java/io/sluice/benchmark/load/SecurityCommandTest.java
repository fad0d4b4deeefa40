package io.sluice.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.CliRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
class SecurityCommandTest {
  @TempDir Path dir;

  @Test
  void pushesToAndFetchesFromAnEncryptedClusterWithAuthentication() {
    CliRun run =
        CliRun.of(
            Benchmarks::commandLine,
            "bench",
            "security",
            "--security",
            "tls",
            "--rounds",
            "1",
            "--total",
            "2m",
            "--memory",
            "16m",
            "--connections",
            "2",
            "--directory",
            dir.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out().lines())
        .anyMatch(line -> line.matches("authentication, TLS +push( +([0-9.]+|-)){8}"))
        .anyMatch(line -> line.matches("authentication, TLS +fetch( +([0-9.]+|-)){8}"))
        .anyMatch(line -> line.startsWith("Medians of 1 rounds; GRPC_NETTY"));
    assertThat(dir).isEmptyDirectory();
  }

  @Test
  void namesTheKnownSettingsForAnUnknownOne() {
    CliRun run = CliRun.of(Benchmarks::commandLine, "bench", "security", "--security", "none,mtls");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("expected one of none, auth, tls, found \"mtls\"");
  }
}

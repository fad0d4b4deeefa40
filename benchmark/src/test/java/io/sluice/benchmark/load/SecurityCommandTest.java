package io.sluice.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.CliRun;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
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
    List<String> lines = run.out().lines().toList();
    assertThat(lines.get(1)).matches("authentication, TLS( +[0-9.]+ \\((1\\.00|-)\\)){6}");
    assertThat(lines.get(2)).startsWith("medians of 1 rounds; GRPC_NETTY");
    assertThat(dir).isEmptyDirectory();
  }

  @Test
  void namesTheKnownSettingsForAnUnknownOne() {
    CliRun run = CliRun.of(Benchmarks::commandLine, "bench", "security", "--security", "none,mtls");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("expected one of none, auth, tls, found \"mtls\"");
  }
}

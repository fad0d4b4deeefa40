package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.control.ExitCode;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.DataSize;
import io.sluice.server.ServerConfig;
import io.sluice.server.memory.MachineMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the sample configurations in {@code conf/}. */
class SampleConfigurationTest {
  /** Tests run in their module's directory. */
  private static final Path SAMPLES = Path.of("../conf");

  private static final int CORES = 16;

  @TempDir private Path directory;

  static List<Path> samples() throws IOException {
    try (Stream<Path> files = Files.walk(SAMPLES)) {
      return files.filter(file -> file.toString().endsWith(".conf")).sorted().toList();
    }
  }

  @Test
  void everyClusterSizeHasBothFiles() throws IOException {
    assertThat(samples().stream().map(SAMPLES::relativize).map(Path::toString))
        .containsExactly(
            "big-memory-ssd/coordinator.conf",
            "big-memory-ssd/server.conf",
            "coordinator.conf",
            "hdd/coordinator.conf",
            "hdd/server.conf",
            "server.conf",
            "small/coordinator.conf",
            "small/server.conf");
  }

  @ParameterizedTest
  @MethodSource("samples")
  void isValidWithoutNotices(Path sample) {
    assertThat(check(sample)).isEqualTo(new CliRun(0, "", ""));
  }

  @ParameterizedTest
  @MethodSource("samples")
  void commentedSettingsAreValid(Path sample) throws IOException {
    Path copy = directory.resolve(sample.getFileName());
    Files.writeString(copy, Files.readString(sample).replace("# rss.", "rss."));

    CliRun run = check(copy);

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
  }

  @ParameterizedTest
  @MethodSource("samples")
  void unknownKeyInASampleIsRefused(Path sample) throws IOException {
    Path copy = directory.resolve(sample.getFileName());
    Files.writeString(copy, Files.readString(sample) + "rss.rpc.server.prot 1\n");

    CliRun run = check(copy);

    assertThat(run.exitCode()).isEqualTo(ExitCode.WRONG_USAGE.status());
    assertThat(run.err())
        .contains("unknown key rss.rpc.server.prot; did you mean rss.rpc.server.port?");
  }

  @ParameterizedTest
  @CsvSource({"small", "big-memory-ssd", "hdd"})
  void everySettingHasACommentAbove(String cluster) throws IOException {
    for (String service : List.of("coordinator", "server")) {
      Path sample = SAMPLES.resolve(cluster).resolve(service + ".conf");
      List<String> lines = Files.readAllLines(sample);
      for (int i = 0; i < lines.size(); i++) {
        if (lines.get(i).startsWith("rss.")) {
          assertThat(lines.get(i - 1)).as("%s:%d", sample, i).startsWith("# ");
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"small,16", "big-memory-ssd,256", "hdd,64"})
  void memorySettingsFitTheMachine(String cluster, int gibibytes) throws IOException {
    Path sample = SAMPLES.resolve(cluster);
    Map<String, String> environment = environment(sample.resolve("server.env"));
    long heap = DataSize.parse(environment.get("XMX_SIZE")).bytes();
    long direct = DataSize.parse(environment.get("MAX_DIRECT_MEMORY_SIZE")).bytes();
    long physical = (long) gibibytes << 30;

    ServerConfig config =
        ServerConfig.from(
            ConfigReader.of(ServerConfig.SCHEMA).file(sample.resolve("server.conf")).read(),
            new MachineMemory(physical, heap, direct),
            null,
            CORES);

    assertThat(config.memory().capacityBytes()).isLessThan(direct);
    // At least 25 % are for the page cache, the JVM and the system.
    assertThat(heap + direct).isLessThanOrEqualTo(physical * 3 / 4);
  }

  private static CliRun check(Path sample) {
    String service = sample.getFileName().toString().replace(".conf", "");
    return CliRun.of(service, "--check", "--conf", sample.toString());
  }

  private static Map<String, String> environment(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("=", 2))
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }
}

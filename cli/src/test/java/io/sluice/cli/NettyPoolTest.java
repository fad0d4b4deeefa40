package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class NettyPoolTest {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  @TempDir private Path directory;

  private List<String> run(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(JAVA.toString()));
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(PoolProgram.class.getName());
    Path out = directory.resolve("out");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile()).start();
    try {
      assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readAllLines(out).stream().filter(line -> line.matches("[a-z]+=.*")).toList();
  }

  @Test
  void allConnectionsShareOneSmallPool() throws Exception {
    assertThat(run("-XX:ActiveProcessorCount=2"))
        .containsExactly("chunk=1048576", "arenas=4", "shared=true", "grpc=true");
  }

  @Test
  void machinesWithManyProcessorsHaveNoLargerPool() throws Exception {
    assertThat(run("-XX:ActiveProcessorCount=64")).contains("arenas=16");
  }

  @Test
  void theCommandLineHasPrecedence() throws Exception {
    assertThat(run("-Dio.netty.allocator.maxOrder=9")).contains("chunk=4194304");
  }
}

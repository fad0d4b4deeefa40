package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.demo.staging.DemoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerTest {
  @TempDir Path directory;
  private Path jar;

  @BeforeEach
  void makeJar() throws IOException {
    jar = Files.writeString(directory.resolve("plugin.jar"), "x");
  }

  private Path file(String... lines) throws IOException {
    return Files.write(directory.resolve("peer.properties"), List.of(lines));
  }

  @Test
  void readsPluginServersAndConfiguration() throws Exception {
    long pid = ProcessHandle.current().pid();
    Peer peer =
        Peer.read(
            "other",
            file("jars=" + jar, "servers=" + pid + ", 4194305", "spark.shuffle.manager=a.Manager"));

    assertThat(peer)
        .isEqualTo(
            new Peer(
                "other",
                List.of(jar),
                List.of(pid, 4194305L),
                Map.of("spark.shuffle.manager", "a.Manager")));
    assertThat(peer.processes()).containsExactly(ProcessHandle.current());
  }

  @Test
  void namesWhatIsInvalid() throws Exception {
    assertInvalid("Other", file("jars=" + jar, "spark.a=b"), "expected lower-case letters");
    assertInvalid("other", directory.resolve("missing"), "cannot read " + directory + "/missing");
    assertInvalid("other", file("jars=" + jar + "x", "spark.a=b"), "cannot read " + jar + "x");
    assertInvalid("other", file("jars=" + jar, "park.a=b"), "unknown key park.a");
    assertInvalid("other", file("jars=" + jar), "needs jars and keys of Spark");
    assertInvalid("other", file("jars=" + jar, "servers=x", "spark.a=b"), "expected process ids");
  }

  private static void assertInvalid(String name, Path file, String problem) {
    assertThatThrownBy(() -> Peer.read(name, file))
        .isInstanceOf(DemoException.class)
        .hasMessageStartingWith("--peer " + name + ": ")
        .hasMessageContaining(problem);
  }
}

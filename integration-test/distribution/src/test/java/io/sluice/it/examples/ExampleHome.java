package io.sluice.it.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A directory that has the distribution's files, for scripts that may write into it: links to the
 * files that the build made, and a copy of the configuration. It is the home directory of the
 * scripts, too. {@code ./sluice}, {@code bin/sluice} and {@code sluice} are the distribution's.
 */
final class ExampleHome {
  private static final int MAX_SECONDS = 60;

  private final Path directory;
  private final Path temporary;

  /** How a script ended, with everything that it printed. */
  record Result(int exitCode, String output) {}

  /**
   * Makes the directory.
   *
   * @param work an empty directory
   */
  ExampleHome(Path work) throws IOException {
    Path built = Checkout.root().resolve("dist/target/home");
    assertThat(built.resolve("RELEASE"))
        .as("the distribution; `mvn -Pfast -DskipTests -pl dist -am package` makes it")
        .exists();
    directory = Files.createDirectory(work.resolve("sluice"));
    temporary = Files.createDirectory(work.resolve("tmp"));
    try (Stream<Path> entries = Files.list(built)) {
      for (Path entry : entries.toList()) {
        Path name = directory.resolve(entry.getFileName());
        if (entry.endsWith("conf")) {
          copy(entry, name);
        } else {
          Files.createSymbolicLink(name, entry);
        }
      }
    }
    Files.createSymbolicLink(directory.resolve("sluice"), built.resolve("bin/sluice"));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  /** Runs a script with bash, up to its first command that fails. */
  Result run(String script) throws IOException, InterruptedException {
    Path file = Files.writeString(temporary.resolve("example.sh"), script);
    Path output = temporary.resolve("output.txt");
    ProcessBuilder builder =
        new ProcessBuilder(List.of("bash", "-euo", "pipefail", file.toString()))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(output.toFile());
    String path = System.getenv("PATH");
    builder.environment().clear();
    builder
        .environment()
        .putAll(
            Map.of(
                "PATH", directory.resolve("bin") + ":" + path,
                "HOME", directory.toString(),
                "TMPDIR", temporary.toString(),
                "JAVA_HOME", System.getProperty("java.home"),
                "LC_ALL", "C.UTF-8"));
    Process process = builder.start();
    try {
      if (!process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
        return new Result(-1, "no end after " + MAX_SECONDS + " s\n" + Files.readString(output));
      }
      return new Result(process.exitValue(), Files.readString(output));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}

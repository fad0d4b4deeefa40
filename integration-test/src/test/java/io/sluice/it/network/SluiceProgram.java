package io.sluice.it.network;

import io.sluice.it.cluster.TestClassPath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code sluice} in a separate process, with the class path of this one. Immutable.
 *
 * @param runtime command that runs Java, such as that of {@link #java()}
 * @param jvmOptions options of its JVM
 */
record SluiceProgram(Path runtime, List<String> jvmOptions) {
  /** Exit code and output of a run. */
  record Outcome(int exitCode, String output) {}

  /** The Java runtime of this process. */
  static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /** Runs a command until it exits. */
  Outcome run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(runtime.toString());
    command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(TestClassPath.archive().jvmOptions());
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", TestClassPath.text(), "io.sluice.cli.Main"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (InputStream output = process.getInputStream()) {
      process.getOutputStream().close();
      String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      System.out.println(String.join(" ", arguments) + ":\n" + text);
      return new Outcome(process.waitFor(), text);
    } finally {
      process.destroyForcibly();
    }
  }
}

package io.sluice.it.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Example;
import io.sluice.common.docs.Examples;
import io.sluice.it.cluster.InProcessCluster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Java program in the pages compiles as it is written, and runs on a cluster. */
@Timeout(240)
class JavaExamplesTest {
  private static final String CLASS_PATH = System.getProperty("java.class.path");
  private static final Pattern CLASS = Pattern.compile("public final class (\\w+)");
  private static final int MAX_SECONDS = 60;

  @TempDir private Path directory;

  @Test
  void countsTheWordsOfTwoMapTasks() throws Exception {
    List<Example> programs =
        Examples.all().stream().filter(example -> example.language().equals("java")).toList();
    assertThat(programs).hasSize(1);
    String program = compile(programs.get(0));
    try (InProcessCluster cluster = new InProcessCluster(directory)) {
      cluster.startCoordinator(Map.of());
      cluster.startServer("a", Map.of());
      cluster.startServer("b", Map.of());
      InProcessCluster.awaitAssignment(cluster.startClient("other", Map.of()), 3, 2);

      List<String> printed = run(program, cluster.quorum(), "to be or not to be", "or not", "be");

      assertThat(printed).containsExactlyInAnyOrder("be 3", "not 2", "or 2", "to 2");
    }
  }

  /** Returns the name of the class. */
  private String compile(Example example) throws IOException {
    Matcher name = CLASS.matcher(example.text());
    assertThat(name.find()).as(example.where()).isTrue();
    Path source = Files.writeString(directory.resolve(name.group(1) + ".java"), example.text());
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                messages,
                messages,
                "-Xlint:all,-path,-processing,-classfile",
                "-Werror",
                "-proc:none",
                "-d",
                directory.toString(),
                "-cp",
                CLASS_PATH,
                source.toString());
    assertThat(code).as("%s: %s", example.where(), messages).isZero();
    return name.group(1);
  }

  /** Returns the lines that the program printed, without its log. */
  private List<String> run(String program, String... arguments)
      throws IOException, InterruptedException {
    Path output = directory.resolve("output.txt");
    Path errors = directory.resolve("errors.txt");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            directory + System.getProperty("path.separator") + CLASS_PATH,
            program);
    builder.command().addAll(List.of(arguments));
    Process process =
        builder.redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
    try {
      assertThat(process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).as("end of the program").isTrue();
      assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
      return Files.readAllLines(output).stream().filter(line -> line.matches("\\w+ \\d+")).toList();
    } finally {
      process.destroyForcibly();
    }
  }
}

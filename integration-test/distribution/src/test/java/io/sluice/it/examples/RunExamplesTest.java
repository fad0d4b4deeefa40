package io.sluice.it.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Example;
import io.sluice.common.docs.Examples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Examples in pages that are marked {@code run} succeed as they are written. This test executes
 * them in a copy of the distribution, except those that take minutes: CI executes these.
 */
class RunExamplesTest {
  @TempDir private Path work;

  private static Stream<Example> fast() {
    return Examples.marked(Example.Mark.RUN).stream().filter(example -> !isSlow(example));
  }

  private static Stream<Example> slow() {
    return Examples.marked(Example.Mark.RUN).stream().filter(RunExamplesTest::isSlow);
  }

  private static boolean isSlow(Example example) {
    return commands(example).stream().anyMatch(CiCommands::isSlow);
  }

  /** One command on each line, without its comment. */
  private static List<String> commands(Example example) {
    return example
        .text()
        .replaceAll("\\\\\n *", "")
        .lines()
        .map(line -> line.replaceFirst("(^| )+#.*", "").strip())
        .filter(line -> !line.isEmpty())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("fast")
  void exampleSucceeds(Example example) throws IOException, InterruptedException {
    ExampleHome.Result result = new ExampleHome(work).run(example.text());

    assertThat(result.exitCode()).as("exit code of %s:%n%s", example, result.output()).isZero();
  }

  @ParameterizedTest
  @MethodSource("slow")
  void ciExecutesExample(Example example) {
    assertThat(commands(example))
        .as("commands of %s, which .ci/run or .ci/nightly must execute", example)
        .allMatch(CiCommands::has);
  }

  @Test
  void failuresAreFound() throws IOException, InterruptedException {
    ExampleHome home = new ExampleHome(work);

    assertThat(home.run("sluice inspect no-such-file").exitCode()).isEqualTo(1);
    assertThat(home.run("no-such-command\ntrue").exitCode()).isEqualTo(127);
  }

  @Test
  void ciHasACommandIfOnlyItsEndDiffers() {
    List<String> script =
        List.of("  mvn -B -ntp verify || {", "f() { ./sluice demo --scale 1; }", "# deploy/check");

    assertThat(CiCommands.isIn(script, "mvn verify")).isTrue();
    assertThat(CiCommands.isIn(script, "./sluice demo")).isTrue();
    assertThat(CiCommands.isIn(script, "./sluice demo --scale 1")).isTrue();
    assertThat(CiCommands.isIn(script, "./sluice demo --scale 2")).isFalse();
    assertThat(CiCommands.isIn(script, "sluice demo")).isFalse();
    assertThat(CiCommands.isIn(script, "mvn ver")).isFalse();
    assertThat(CiCommands.isIn(script, "deploy/check")).isFalse();
  }
}

package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SluiceCommandTest {
  @TempDir Path dir;

  @Test
  void everyCommandHasHelpAndVersion() {
    CommandLine root =
        SluiceCommand.commandLine(
            new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter()));
    List<String> paths = new ArrayList<>();
    collect(root, "", paths);

    assertThat(paths).contains("", "coordinator", "bench push", "bench fetch", "admin servers");
    for (String path : paths) {
      for (String option : List.of("--help", "--version")) {
        CliRun run = CliRun.of((path + " " + option).strip().split(" "));
        assertThat(run.exitCode()).as("%s %s", path, option).isZero();
        assertThat(run.err()).as("%s %s", path, option).isEmpty();
        assertThat(run.out())
            .as("%s %s", path, option)
            .startsWith(option.equals("--help") ? "Usage: sluice " + path : "sluice ");
      }
    }
  }

  private static void collect(CommandLine command, String path, List<String> into) {
    into.add(path);
    command
        .getSubcommands()
        .forEach((name, sub) -> collect(sub, (path + " " + name).strip(), into));
  }

  @Test
  void wrongUsagePrintsAnErrorAndAHintAndExitsWith2() {
    for (String args :
        List.of(
            "",
            "nonsense",
            "bench",
            "admin",
            "coordinator --nonsense",
            "admin servers",
            "admin status",
            "bench push",
            "bench push --coordinator here",
            "bench push --coordinator a:1 --block-size 10q",
            "bench push --coordinator a:1 --connections 0",
            "bench push --coordinator a:1 --partitions 0",
            "bench push --coordinator a:1 --frame-size 1g",
            "bench push --coordinator a:1 --request-timeout soon",
            "bench push --coordinator a:1 --client-memory 1k")) {
      CliRun run = CliRun.of(args.isEmpty() ? new String[0] : args.split(" "));

      assertThat(run.exitCode()).as(args).isEqualTo(2);
      assertThat(run.out()).as(args).isEmpty();
      assertThat(run.err().lines().toList()).as(args).hasSize(2);
      assertThat(run.err()).as(args).startsWith("sluice").doesNotContain("\tat ");
    }
  }

  @Test
  void suggestsTheNearestCommand() {
    assertThat(CliRun.of("cordinator").err()).contains("Did you mean: sluice coordinator");
  }

  @Test
  void aWrongConfigurationListsEveryProblemAndExitsWith2() throws IOException {
    Path conf = Files.writeString(dir.resolve("c.conf"), "rss.rpc.server.prot 1\n");

    CliRun run = CliRun.of("coordinator", "--conf", conf.toString(), "-D", "rss.rpc.server.port=x");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines())
        .containsExactly(
            "sluice coordinator: 2 problems in the configuration:",
            "  " + conf + ":1: unknown key rss.rpc.server.prot; did you mean rss.rpc.server.port?",
            "  -D rss.rpc.server.port: rss.rpc.server.port: \"x\" is not a whole number");
  }

  @Test
  void reportsAPortInUseInOneLineAndExitsWith1() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CliRun run =
          CliRun.of(
              "coordinator",
              "-D",
              "rss.coordinator.host=127.0.0.1",
              "-D",
              "rss.jetty.http.port=0",
              "-D",
              "rss.rpc.server.port=" + taken.getLocalPort());

      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err().lines()).hasSize(1);
      assertThat(run.err())
          .startsWith("sluice coordinator: ")
          .contains(Integer.toString(taken.getLocalPort()));
    }
  }

  @Test
  void checkOnlyReadsTheConfiguration() {
    assertThat(CliRun.of("coordinator", "--check").exitCode()).isZero();
    assertThat(CliRun.of("coordinator", "--check", "-D", "rss.x=1").exitCode()).isEqualTo(2);
  }

  @Test
  void aShellCompletesCommandsWithTheScript() throws Exception {
    CliRun run = CliRun.of("completion", "bash");
    assertThat(run.exitCode()).isZero();
    Path script = Files.writeString(dir.resolve("completion"), run.out());

    Process bash =
        new ProcessBuilder(
                "bash",
                "-c",
                "source \"$0\"; COMP_WORDS=(sluice admin ex); COMP_CWORD=2;"
                    + " _complete_sluice; echo \"${COMPREPLY[@]}\"",
                script.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String completions = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(bash.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(completions.strip().split(" ")).contains("exclude", "exclusions");
  }

  @Test
  void refusesAnUnknownShell() {
    CliRun run = CliRun.of("completion", "fish");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("sluice completion: expected one of [bash, zsh]");
  }

  @Test
  void verbosePrintsTheStackTraceOfAFailure() {
    CliRun run = CliRun.of("coordinator", "-v", "-D", "rss.x=1");

    assertThat(run.err()).contains("\tat io.sluice.");
  }
}

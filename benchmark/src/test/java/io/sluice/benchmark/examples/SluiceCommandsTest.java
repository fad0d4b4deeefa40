package io.sluice.benchmark.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.benchmark.load.Benchmarks;
import io.sluice.common.docs.Example;
import io.sluice.common.docs.Examples;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/**
 * Every {@code sluice} command in a page has subcommands, options and parameters that the command
 * line accepts. Nothing is executed.
 */
class SluiceCommandsTest {
  private static final Set<String> LAUNCHERS = Set.of("sluice", "./sluice", "bin/sluice");
  private static final List<List<String>> NONE = List.of();
  private static final String PLACEHOLDER = "host:19999";

  /** A subcommand for pages that describe options of all of them. */
  private static final String ANY_SUBCOMMAND = "servers";

  @Test
  void commandLineAcceptsEveryCommand() {
    List<String> wrong = new ArrayList<>();
    int commands = 0;
    for (Example example : Examples.marked(Example.Mark.RUN, Example.Mark.CHECK)) {
      for (List<String> arguments : example.isShell() ? commandsIn(example.text()) : NONE) {
        commands++;
        try {
          parse(arguments);
        } catch (ParameterException e) {
          wrong.add(example.where() + ": " + String.join(" ", arguments) + ": " + e.getMessage());
        }
      }
    }
    assertThat(commands).isGreaterThan(20);
    assertThat(wrong).as("commands that the command line refuses").isEmpty();
  }

  @Test
  void wrongCommandsAreFound() {
    for (String wrong :
        List.of(
            "./sluice serve --conf x",
            "sluice admin drain host:1 --coordinator c1:19999 --wat",
            "sluice admin drain --coordinator c1:19999",
            "sluice admin drain host:1",
            "./sluice bench huge --size much",
            "kubectl exec sluice-coordinator-0 -- sluice admin serves --coordinator …")) {
      assertThatThrownBy(() -> commandsIn(wrong).forEach(SluiceCommandsTest::parse))
          .as(wrong)
          .isInstanceOf(ParameterException.class);
    }
  }

  /** The arguments of each {@code sluice} of a script, also of one that another program starts. */
  private static List<List<String>> commandsIn(String script) {
    List<List<String>> found = new ArrayList<>();
    // Brackets enclose options that a synopsis marks as optional.
    for (ShellCommand command : ShellCommand.of(script.replaceAll("[\\[\\]]", ""))) {
      List<String> words = command.words();
      int launched = words.indexOf("--") + 1;
      if (launched < words.size() && LAUNCHERS.contains(words.get(launched))) {
        found.add(words.subList(launched + 1, words.size()));
      }
    }
    return found;
  }

  /** Arguments that a reader adds are written {@code …}, last or as the value of an option. */
  private static void parse(List<String> arguments) {
    List<String> words = new ArrayList<>(arguments);
    boolean open = !words.isEmpty() && words.get(words.size() - 1).equals("…");
    if (open) {
      words.remove(words.size() - 1);
    }
    words.replaceAll(
        word ->
            switch (word) {
              case "…" -> PLACEHOLDER;
              case "COMMAND" -> ANY_SUBCOMMAND;
              default -> word.replaceFirst(",…$", "");
            });
    CommandLine line =
        Benchmarks.commandLine(
            new PrintWriter(Writer.nullWriter()), new PrintWriter(Writer.nullWriter()));
    try {
      line.parseArgs(words.toArray(String[]::new));
    } catch (MissingParameterException e) {
      if (!open) {
        throw e;
      }
    }
  }
}

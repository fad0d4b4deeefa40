package io.sluice.benchmark.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Checkout;
import io.sluice.common.docs.Example;
import io.sluice.common.docs.Examples;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every module, profile, test class and property of a Maven command in a page exists. */
class MavenCommandsTest {
  private final Sources sources = new Sources();

  @Test
  void commandsNameWhatExists() {
    List<String> unknown = new ArrayList<>();
    int commands = 0;
    for (Example example : Examples.marked(Example.Mark.RUN, Example.Mark.CHECK)) {
      List<ShellCommand> all = example.isShell() ? ShellCommand.of(example) : List.of();
      for (ShellCommand command : all) {
        if (command.program().equals("mvn")) {
          commands++;
          unknown(command).forEach(name -> unknown.add(example.where() + ": " + name));
        }
      }
    }
    assertThat(commands).isGreaterThan(4);
    assertThat(unknown).as("names that the build does not have").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mvn -pl cli,clients test",
        "mvn -Pfast,fastest verify",
        "mvn test -Dtest='*FuzzingTest'",
        "mvn test -Dsluice.fuzz.minutes=1"
      })
  void unknownNamesAreFound(String command) {
    assertThat(unknown(ShellCommand.of(command).get(0))).hasSize(1);
  }

  private List<String> unknown(ShellCommand command) {
    List<String> unknown = new ArrayList<>();
    List<String> words = command.words();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.equals("-pl")) {
        add(unknown, words.get(i + 1), MavenCommandsTest::isModule);
      } else if (word.startsWith("-P")) {
        add(unknown, word.substring(2), this::isProfile);
      } else if (word.startsWith("-Dtest=")) {
        add(unknown, word.substring("-Dtest=".length()), sources::hasTest);
      } else if (word.startsWith("-Dsluice.")) {
        add(unknown, word.substring(2).replaceFirst("=.*", ""), this::isProperty);
      }
    }
    return unknown;
  }

  private static void add(List<String> unknown, String names, Predicate<String> known) {
    Stream.of(names.split(",")).filter(known.negate()).forEach(unknown::add);
  }

  private static boolean isModule(String name) {
    return Files.exists(Checkout.root().resolve(name).resolve("pom.xml"));
  }

  private boolean isProfile(String name) {
    return sources.mention("<id>" + name + "</id>", path -> path.endsWith("pom.xml"));
  }

  /** Tests read the property, or a pom gives it another name. */
  private boolean isProperty(String name) {
    return sources.mention("\"" + name + "\"", MavenCommandsTest::isJava)
        || sources.mention("${" + name + "}", path -> path.endsWith("pom.xml"));
  }

  private static boolean isJava(Path path) {
    return path.toString().endsWith(".java") && !path.endsWith("MavenCommandsTest.java");
  }
}

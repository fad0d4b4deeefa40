package io.sluice.benchmark.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Checkout;
import io.sluice.common.docs.Example;
import io.sluice.common.docs.Examples;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every class, environment variable and REST path of ours in an example exists. */
class NamesTest {
  /** Plugins of Spark and Hadoop are in packages of these. */
  private static final Pattern CLASS =
      Pattern.compile(
          "\\b(org\\.apache\\.(?:spark|hadoop)\\.[\\w.]*\\bRss\\w+|io\\.sluice\\.[\\w.]+)");

  private static final Pattern VARIABLE =
      Pattern.compile(
          "\\b((?:RSS|SLUICE)_[A-Z_]+|(?:COORDINATOR_)?XMX_SIZE|MAX_DIRECT_MEMORY_SIZE"
              + "|[A-Z_]+_JAVA_OPTS)\\b");
  private static final Pattern REST = Pattern.compile("(/api/v1/[\\w/:.-]+)");

  private final Sources sources = new Sources();

  @Test
  void classesExist() {
    assertAllExist(CLASS, 5, sources::hasClass);
    assertThat(sources.hasClass("org.apache.spark.shuffle.RssShuffleManagers")).isFalse();
  }

  @Test
  void environmentVariablesExist() {
    assertAllExist(VARIABLE, 5, this::isVariable);
    assertThat(isVariable("RSS_USER_SECRETS_FILES")).isFalse();
  }

  @Test
  void restPathsExist() {
    assertAllExist(REST, 4, NamesTest::isRestPath);
    assertThat(isRestPath("/api/v1/servers/host:19999/exclude")).isFalse();
  }

  private static void assertAllExist(Pattern pattern, int atLeast, Predicate<String> exists) {
    List<String> missing = new ArrayList<>();
    int names = 0;
    for (Example example : Examples.marked(Example.Mark.RUN, Example.Mark.CHECK)) {
      for (MatchResult match : pattern.matcher(example.text()).results().toList()) {
        names++;
        if (!exists.test(match.group(1))) {
          missing.add(example.where() + ": " + match.group(1));
        }
      }
    }
    assertThat(names).isGreaterThanOrEqualTo(atLeast);
    assertThat(missing).as("names that do not exist").isEmpty();
  }

  /** The launcher reads it, or the command does. */
  private boolean isVariable(String name) {
    return Pattern.compile("\\b" + name + "\\b").matcher(Checkout.text("sluice")).find()
        || sources.mention("\"" + name + "\"", NamesTest::isProduct)
        || sources.mention("\"" + name + "=", NamesTest::isProduct);
  }

  private static boolean isProduct(Path path) {
    return path.toString().contains("/src/main/java/");
  }

  private static boolean isRestPath(String path) {
    return Checkout.lines("docs/openapi.yaml").stream()
        .filter(line -> line.startsWith("  /api/"))
        .map(line -> line.strip().replaceFirst(":$", "").replaceAll("\\{\\w+}", "[^/]+"))
        .anyMatch(path::matches);
  }
}

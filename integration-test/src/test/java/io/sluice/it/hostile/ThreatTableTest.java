package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of threats in docs/security.md must name every attack and only existing tests. */
class ThreatTableTest {
  private static final Path ROOT = Path.of("..");

  private static List<String> namesInTable(String pattern) throws IOException {
    String page = Files.readString(ROOT.resolve("docs/security.md"));
    String table = page.substring(page.indexOf("| finding | threat |"));
    return Pattern.compile(pattern)
        .matcher(table)
        .results()
        .map(MatchResult::group)
        .map(name -> name.replaceAll("[`*]", ""))
        .toList();
  }

  private static String[] names(Stream<AttackCase> attacks) {
    return attacks
        .filter(attack -> attack != AttackCase.NO_ATTACK)
        .map(Enum::name)
        .toArray(String[]::new);
  }

  @Test
  void everyAttackIsInTheTableOnce() throws IOException {
    assertThat(namesInTable("`[A-Z_]+`"))
        .containsExactlyInAnyOrder(names(Arrays.stream(AttackCase.values())));
  }

  @Test
  void attacksOfTheOrdinaryBuildAreBold() throws IOException {
    assertThat(namesInTable("\\*\\*`[A-Z_]+`\\*\\*"))
        .containsExactlyInAnyOrder(names(AttackCase.ordinary()));
  }

  @Test
  void everyUnitTestInTheTableExists() throws IOException {
    List<String> tests = namesInTable("`[A-Za-z.]+Test`");

    assertThat(tests).isNotEmpty();
    assertThat(tests).allSatisfy(test -> assertThat(sources(test)).hasSize(1));
  }

  private static List<Path> sources(String test) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path module : modules()) {
      try (Stream<Path> files = Files.walk(module.resolve("src/test/java"))) {
        files.filter(file -> file.endsWith(test.replace('.', '/') + ".java")).forEach(found::add);
      }
    }
    return found;
  }

  private static List<Path> modules() throws IOException {
    try (Stream<Path> directories = Files.list(ROOT)) {
      return directories.filter(it -> Files.isDirectory(it.resolve("src/test/java"))).toList();
    }
  }
}

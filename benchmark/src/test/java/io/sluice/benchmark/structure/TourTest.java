package io.sluice.benchmark.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tour of the code leads to classes that exist and are short enough to read at a sitting. */
class TourTest {
  private static final Path TOUR = Path.of("../docs/internals/tour.md");
  private static final int STEPS = 10;
  private static final int MAX_LINES = 300;
  private static final Pattern LINK = Pattern.compile("\\[(\\w+)]\\((\\S+\\.java)\\)");

  @Test
  void leadsToTenShortClassesAndTheirTests() throws IOException {
    List<Path> classes = new ArrayList<>();
    List<Path> tests = new ArrayList<>();
    Matcher link = LINK.matcher(Files.readString(TOUR));
    while (link.find()) {
      Path file = TOUR.resolveSibling(link.group(2)).normalize();
      assertThat(file).exists().hasFileName(link.group(1) + ".java");
      (file.toString().contains("/test/") ? tests : classes).add(file);
    }
    assertThat(classes).hasSize(STEPS);
    assertThat(tests).hasSize(STEPS);
    for (Path file : classes) {
      assertThat(Files.readAllLines(file)).as(file.toString()).hasSizeLessThan(MAX_LINES);
    }
  }
}

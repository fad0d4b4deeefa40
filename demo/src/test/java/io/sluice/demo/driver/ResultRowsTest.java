package io.sluice.demo.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ResultRowsTest {
  @Test
  void ignoresTheOrderOfRows() {
    assertThat(new ResultRows(List.of("b", "a")).digest())
        .isEqualTo(new ResultRows(List.of("a", "b")).digest());
  }

  @Test
  void digestChangesWithACharacterAndWithAnAdditionalRow() {
    String digest = new ResultRows(List.of("1\t2.50", "2\t3.50")).digest();

    assertThat(new ResultRows(List.of("1\t2.50", "2\t3.51")).digest()).isNotEqualTo(digest);
    assertThat(new ResultRows(List.of("1\t2.50", "2\t3.50", "2\t3.50")).digest())
        .isNotEqualTo(digest);
  }

  @Test
  void escapesNullTabsAndLineBreaks() {
    assertThat(ResultRows.line(Arrays.asList("a", null)))
        .isNotEqualTo(ResultRows.line(List.of("a", "\\N")));
    assertThat(ResultRows.line(List.of("a\tb"))).isNotEqualTo(ResultRows.line(List.of("a", "b")));
    assertThat(ResultRows.line(List.of("a\nb\rc"))).doesNotContain("\n", "\r");
  }

  @Test
  void readsBackWhatItWrote(@TempDir Path directory) throws IOException {
    ResultRows rows =
        new ResultRows(
            List.of(ResultRows.line(List.of("é", "x\ny")), ResultRows.line(List.of("", ""))));
    Path file = ResultRows.file(directory, "14a");

    rows.write(file);

    assertThat(file).hasFileName("q14a.rows");
    assertThat(ResultRows.read(file)).isEqualTo(rows);
  }
}

package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EpochFileTest {
  @TempDir Path first;
  @TempDir Path second;

  private static Clock at(long ms) {
    return Clock.fixed(Instant.ofEpochMilli(ms), ZoneOffset.UTC);
  }

  private static long begin(List<Path> directories, Clock clock) throws IOException {
    return EpochFile.begin(directories, clock, EpochFile.last(directories), 0);
  }

  @Test
  void isLargerThanAllEpochsInTheDirectories() throws IOException {
    assertThat(EpochFile.last(List.of(first))).isZero();
    assertThat(EpochFile.begin(List.of(first), at(1234), 0, 7000)).isEqualTo(7001);
    assertThat(EpochFile.last(List.of(first, second))).isEqualTo(7001);
  }

  @Test
  void usesTheClockWhenNoEpochIsStored() throws IOException {
    assertThat(begin(List.of(first), at(1234))).isEqualTo(1234);
  }

  @Test
  void growsWhenTheClockStopsOrStepsBack() throws IOException {
    assertThat(begin(List.of(first), at(5000))).isEqualTo(5000);
    assertThat(begin(List.of(first), at(5000))).isEqualTo(5001);
    assertThat(begin(List.of(first), at(17))).isEqualTo(5002);
    assertThat(begin(List.of(first), at(9000))).isEqualTo(9000);
  }

  @Test
  void survivesTheLossOfADirectory() throws IOException {
    begin(List.of(first, second), at(5000));
    assertThat(begin(List.of(second), at(10))).isEqualTo(5001);
    assertThat(begin(List.of(first, second), at(10))).isEqualTo(5002);
  }

  @Test
  void refusesAnInvalidFile() throws IOException {
    for (String text :
        List.of("", "yesterday", "-4", "0", "9223372036854775807", "99999999999999999999")) {
      Files.writeString(first.resolve(EpochFile.NAME), text);
      assertThatThrownBy(() -> begin(List.of(first), at(1)))
          .as("'%s'", text)
          .isInstanceOf(StartException.class)
          .hasMessageStartingWith(
              first.resolve(EpochFile.NAME) + ": invalid epoch: expected milliseconds")
          .hasMessageNotContaining("\n");
    }
  }

  @Test
  void reportsTheFileThatCannotBeWritten() throws IOException {
    Files.createDirectory(first.resolve(EpochFile.NAME + ".new"));
    assertThatThrownBy(() -> begin(List.of(first), at(1)))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("cannot write " + first.resolve(EpochFile.NAME));
  }
}

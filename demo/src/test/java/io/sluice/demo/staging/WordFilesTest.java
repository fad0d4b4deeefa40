package io.sluice.demo.staging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WordFilesTest {
  @TempDir private Path directory;

  @Test
  void sameSizeGivesTheSameText() throws IOException {
    Path one = Files.createDirectories(directory.resolve("one"));
    Path other = Files.createDirectories(directory.resolve("other"));
    WordFiles.write(one, 400_000);
    WordFiles.write(other, 400_000);

    for (int file = 0; file < 4; file++) {
      Path text = one.resolve("words-" + file);
      assertThat(text).hasSameBinaryContentAs(other.resolve("words-" + file));
      assertThat(Files.size(text)).isBetween(100_000L, 100_200L);
      assertThat(Files.readString(text)).endsWith("\n");
    }
    assertThat(Files.readString(one.resolve("words-0")))
        .isNotEqualTo(Files.readString(one.resolve("words-1")));
  }

  @Test
  void aFewWordsAreFrequentAndMostAreRare() throws IOException {
    WordFiles.write(directory, 400_000);
    Map<String, Long> counts;
    try (Stream<String> lines =
        IntStream.range(0, 4)
            .mapToObj(file -> directory.resolve("words-" + file))
            .flatMap(WordFilesTest::lines)) {
      counts =
          lines
              .flatMap(line -> Stream.of(line.split(" ")))
              .collect(Collectors.groupingBy(word -> word, Collectors.counting()));
    }

    long words = counts.values().stream().mapToLong(count -> count).sum();
    assertThat(counts).hasSizeGreaterThan(15_000);
    assertThat(counts.values().stream().mapToLong(count -> count).max().orElse(0))
        .isGreaterThan(words / 25);
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.sluice.common.fuzz;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/**
 * Inputs that a fuzz test found, as a file of the sources: {@code
 * src/test/resources/corpus/CLASS.METHOD.hex}, one input a line.
 */
final class Corpus {
  private static final Path SOURCES = Path.of("src/test/resources/corpus");

  /** Longer inputs are not kept: they are copies of the test's own, with few changes. */
  private static final int MAX_INPUT_BYTES = 1 << 10;

  private final String file;

  private Corpus(String file) {
    this.file = file;
  }

  /**
   * The corpus of a test.
   *
   * @param test class and method
   */
  static Corpus of(String test) {
    return new Corpus(test + ".hex");
  }

  /** The inputs of the file; none if there is no file. */
  List<byte[]> inputs() {
    try (InputStream in = Corpus.class.getResourceAsStream("/corpus/" + file)) {
      return in == null
          ? List.of()
          : new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))
              .lines()
              .map(HexFormat.of()::parseHex)
              .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
  }

  /** Replaces the file, in the sources of the module whose tests run. */
  void write(List<byte[]> found) {
    try {
      Files.createDirectories(SOURCES);
      Files.write(
          SOURCES.resolve(file),
          found.stream()
              .filter(input -> input.length > 0 && input.length <= MAX_INPUT_BYTES)
              .map(HexFormat.of()::formatHex)
              .sorted()
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
  }
}

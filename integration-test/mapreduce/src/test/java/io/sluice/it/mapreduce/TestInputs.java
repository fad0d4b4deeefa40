package io.sluice.it.mapreduce;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** Generated inputs, deterministic for a seed. */
final class TestInputs {
  private TestInputs() {}

  /** Files of words in lines, some words much more frequent than others. */
  static Path words(Path directory, int files, int wordsPerFile, long seed) throws IOException {
    Files.createDirectories(directory);
    Random random = new Random(seed);
    for (int file = 0; file < files; file++) {
      StringBuilder text = new StringBuilder();
      for (int i = 1; i <= wordsPerFile; i++) {
        int word = (int) Math.abs(random.nextGaussian() * 800);
        text.append('w').append(word).append(i % 9 == 0 ? '\n' : ' ');
      }
      write(directory.resolve("words-" + file), text.append('\n'));
    }
    return directory;
  }

  /** Files with lines of two integers; many lines have the same first integer. */
  static Path pairs(Path directory, int files, int pairsPerFile, long seed) throws IOException {
    Files.createDirectories(directory);
    Random random = new Random(seed);
    for (int file = 0; file < files; file++) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < pairsPerFile; i++) {
        text.append(random.nextInt(200) - 100).append(' ').append(random.nextInt()).append('\n');
      }
      write(directory.resolve("pairs-" + file), text);
    }
    return directory;
  }

  /**
   * Files with lines of key and value, sorted by key over all files, with unique keys. Files with
   * the same number have the same key range for every seed, so that such inputs can be joined.
   */
  static Path sortedKeys(Path directory, int files, int keysPerFile, String value, long seed)
      throws IOException {
    Files.createDirectories(directory);
    Random random = new Random(seed);
    for (int file = 0; file < files; file++) {
      TreeSet<Integer> keys = new TreeSet<>();
      while (keys.size() < keysPerFile) {
        keys.add(random.nextInt(keysPerFile * 2));
      }
      List<String> lines = new ArrayList<>();
      for (int key : keys) {
        lines.add("%d-%08d\t%s%d".formatted(file, key, value, random.nextInt(1000)));
      }
      write(directory.resolve("keys-" + file), new StringBuilder(String.join("\n", lines)));
    }
    return directory;
  }

  private static void write(Path file, StringBuilder text) throws IOException {
    Files.writeString(file, text, StandardCharsets.UTF_8);
  }
}

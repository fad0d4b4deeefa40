package io.sluice.demo.staging;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * Text files for wordcount, generated once and kept. They depend only on the size: lines of ten
 * words from a large vocabulary with a Zipf distribution, as in natural text.
 */
public final class WordFiles {
  private static final int FILES = 4;
  private static final int VOCABULARY = 200_000;
  private static final int WORDS_PER_LINE = 10;
  private static final long SEED = 20_140_315;

  private WordFiles() {}

  static Path directory(Path workDirectory, long bytes) {
    return workDirectory.resolve("words-" + bytes + "-bytes-v1");
  }

  /** Generates the files unless they exist. */
  public static Path ensure(long bytes, Staging staging, DemoProgress progress) throws IOException {
    Path complete = directory(staging.workDirectory(), bytes);
    String title = "Words to count, " + AmountText.bytes(bytes) + ": ";
    if (Files.isDirectory(complete)) {
      progress.step(title + "using " + complete);
      return complete;
    }
    progress.step(title + "generating " + complete + " (kept for later runs)");
    Path unfinished = Files.createDirectories(staging.directory().resolve("words"));
    write(unfinished, bytes);
    Scratch.publish(unfinished, complete);
    return complete;
  }

  static void write(Path directory, long bytes) throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    byte[][] words = vocabulary(random.split());
    for (int file = 0; file < FILES; file++) {
      write(directory.resolve("words-" + file), bytes / FILES, words, random.split());
    }
  }

  private static byte[][] vocabulary(SplittableRandom random) {
    byte[][] words = new byte[VOCABULARY][];
    for (int i = 0; i < VOCABULARY; i++) {
      StringBuilder word = new StringBuilder();
      int letters = 2 + random.nextInt(9);
      for (int letter = 0; letter < letters; letter++) {
        word.append((char) ('a' + random.nextInt(26)));
      }
      words[i] = word.toString().getBytes(StandardCharsets.US_ASCII);
    }
    return words;
  }

  /** Writes whole lines until the file has at least {@code bytes}. */
  private static void write(Path file, long bytes, byte[][] words, SplittableRandom random)
      throws IOException {
    double logOfCount = Math.log(words.length);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
      long written = 0;
      for (int word = 1; written < bytes || word % WORDS_PER_LINE != 1; word++) {
        byte[] next = words[(int) Math.exp(random.nextDouble() * logOfCount) - 1];
        out.write(next);
        out.write(word % WORDS_PER_LINE == 0 ? '\n' : ' ');
        written += next.length + 1;
      }
    }
  }
}

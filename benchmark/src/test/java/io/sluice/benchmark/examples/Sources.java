package io.sluice.benchmark.examples;

import io.sluice.common.docs.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Sources and poms of the checkout. */
final class Sources {
  private static final Set<String> SKIPPED = Set.of("target", ".git", ".build");

  private final List<Path> files = new ArrayList<>();

  Sources() {
    collect(Checkout.root());
  }

  private void collect(Path directory) {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (!Files.isDirectory(entry)) {
          files.add(entry);
        } else if (!SKIPPED.contains(entry.getFileName().toString())) {
          collect(entry);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether a class that is part of a jar has this full name. */
  boolean hasClass(String name) {
    Path file = Path.of("main/java", name.replace('.', '/') + ".java");
    return files.stream().anyMatch(path -> path.endsWith(file));
  }

  /** Whether a test class has this name, in which {@code *} stands for any characters. */
  boolean hasTest(String name) {
    String file = name.replace("*", ".*") + "\\.java";
    return files.stream()
        .anyMatch(
            path ->
                path.toString().contains("/src/test/")
                    && path.getFileName().toString().matches(file));
  }

  /** Whether a file contains a text. */
  boolean mention(String text, Predicate<Path> where) {
    return files.stream().filter(where).anyMatch(path -> read(path).contains(text));
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(path.toString(), e);
    }
  }
}

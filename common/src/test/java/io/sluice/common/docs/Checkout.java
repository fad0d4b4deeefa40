package io.sluice.common.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The checkout that contains the module whose tests run. */
public final class Checkout {
  private Checkout() {}

  /** The topmost directory. */
  public static Path root() {
    Path directory = Path.of(System.getProperty("user.dir"));
    while (!Files.isDirectory(directory.resolve("docs/decisions"))) {
      directory = directory.getParent();
      if (directory == null) {
        throw new IllegalStateException(
            "no docs above "
                + System.getProperty("user.dir")
                + ": tests need the complete checkout");
      }
    }
    return directory;
  }

  /** The lines of a file, named from the root. */
  public static List<String> lines(String file) {
    try {
      return Files.readAllLines(root().resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  /** The text of a file, named from the root. */
  public static String text(String file) {
    return String.join("\n", lines(file)) + "\n";
  }

  /** Names from the root, sorted, of all files below a directory whose names end in a suffix. */
  public static List<String> files(String directory, String suffix) {
    Path root = root();
    try (Stream<Path> files = Files.walk(root.resolve(directory))) {
      return files
          .filter(file -> file.toString().endsWith(suffix) && Files.isRegularFile(file))
          .map(file -> root.relativize(file).toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + directory, e);
    }
  }
}

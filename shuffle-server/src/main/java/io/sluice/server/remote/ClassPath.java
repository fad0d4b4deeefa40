package io.sluice.server.remote;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Parses class paths as {@code java -cp} does: files, directories, and {@code dir/*} for all jars
 * of a directory.
 */
final class ClassPath {
  private final List<URL> urls = new ArrayList<>();

  /**
   * Adds the entries of a class path; entries that do not exist are ignored, as by the JVM.
   *
   * @throws IOException if a directory cannot be listed
   */
  ClassPath add(String text) throws IOException {
    for (String entry : text.split(File.pathSeparator)) {
      if (entry.endsWith("/*") || entry.equals("*")) {
        addJarsOf(path(entry.substring(0, entry.length() - 1)));
      } else if (!entry.isBlank()) {
        addExisting(path(entry));
      }
    }
    return this;
  }

  /** Adds the jars of a directory, sorted by name; none if the directory does not exist. */
  ClassPath addJarsOf(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      try (Stream<Path> files = Files.list(directory)) {
        for (Path jar :
            (Iterable<Path>)
                files.filter(file -> file.toString().endsWith(".jar")).sorted()::iterator) {
          addExisting(jar);
        }
      }
    }
    return this;
  }

  URL[] urls() {
    return urls.toArray(URL[]::new);
  }

  private void addExisting(Path path) throws MalformedURLException {
    if (Files.exists(path)) {
      urls.add(path.toUri().toURL());
    }
  }

  private static Path path(String text) throws IOException {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new IOException("class path entry \"" + text + "\" is not a path", e);
    }
  }
}

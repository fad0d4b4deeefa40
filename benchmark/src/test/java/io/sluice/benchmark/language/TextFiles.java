package io.sluice.benchmark.language;

import io.sluice.common.docs.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The text files of the checkout that people write. */
final class TextFiles {
  private static final Set<String> SKIPPED = Set.of("target", ".git", ".idea", "golden", "words");
  private static final Set<String> TEXTS =
      Set.of(
          "java",
          "proto",
          "md",
          "sh",
          "js",
          "html",
          "css",
          "yaml",
          "yml",
          "conf",
          "service",
          "xml",
          "properties",
          "tpl");

  private TextFiles() {}

  /**
   * Names from the root of the checkout, sorted. A file counts by the end of its name; an
   * executable file without one is a script.
   */
  static List<String> all() {
    Path root = Checkout.root();
    List<String> found = new ArrayList<>();
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
              return SKIPPED.contains(path.getFileName().toString())
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes attributes)
                throws IOException {
              if (attributes.isRegularFile() && isText(path)) {
                found.add(root.relativize(path).toString());
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    found.sort(null);
    return found;
  }

  private static boolean isText(Path path) throws IOException {
    String name = path.getFileName().toString();
    int dot = name.lastIndexOf('.');
    return dot > 0
        ? TEXTS.contains(name.substring(dot + 1))
        : !name.equals("LICENSE") && Files.isExecutable(path);
  }
}

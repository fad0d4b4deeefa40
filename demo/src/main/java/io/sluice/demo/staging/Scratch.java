package io.sluice.demo.staging;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;

/** Operations on directory trees of the demo. Symbolic links are deleted, not followed. */
public final class Scratch {
  private Scratch() {}

  /**
   * Renames a finished directory to its final name in the same file system. If another run has
   * created the directory meanwhile, that copy is used.
   */
  static void publish(Path unfinished, Path complete) throws IOException {
    try {
      Files.move(unfinished, complete, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      if (!Files.isDirectory(complete)) {
        throw e;
      }
      remove(unfinished);
    }
  }

  /**
   * Deletes a tree. Ignores files that disappear meanwhile, because ending processes delete files,
   * too.
   */
  public static void remove(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException failure)
              throws IOException {
            if (failure != null && !(failure instanceof NoSuchFileException)) {
              throw failure;
            }
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}

package io.sluice.backport;

import java.nio.file.Path;
import java.nio.file.Paths;

/** Newer methods of {@link Path}. */
@MethodsOf(Path.class)
public final class PathMethods {
  private PathMethods() {}

  public static Path of(String first, String... more) {
    return Paths.get(first, more);
  }
}

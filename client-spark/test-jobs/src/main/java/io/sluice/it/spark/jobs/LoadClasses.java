package io.sluice.it.spark.jobs;

import java.io.IOException;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Initializes every class of Sluice in a jar, with the types of its members, and prints those that
 * this Java runtime refuses. Libraries in the jar may have classes for other runtimes.
 */
public final class LoadClasses {
  private static final String CLASS = ".class";
  private static final String LIBRARIES = "io/sluice/shaded/";

  private LoadClasses() {}

  /**
   * Exits with 1 if a class cannot be loaded.
   *
   * @param arguments path of the jar, which is on the class path
   */
  public static void main(String[] arguments) throws IOException {
    int loaded = 0;
    int refused = 0;
    try (JarFile jar = new JarFile(arguments[0])) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        if (isOfSluice(entry.getName())) {
          String refusal = load(entry.getName());
          loaded++;
          if (refusal != null) {
            System.out.println("refused: " + entry.getName() + ": " + refusal);
            refused++;
          }
        }
      }
    }
    System.out.println("loaded " + loaded + " classes, refused " + refused);
    System.exit(refused == 0 && loaded > 0 ? 0 : 1);
  }

  private static boolean isOfSluice(String entry) {
    return entry.endsWith(CLASS)
        && !entry.startsWith(LIBRARIES)
        && !entry.startsWith("META-INF/")
        && !entry.endsWith("package-info.class");
  }

  /** Why a class is refused; null if it is not. */
  private static String load(String entry) {
    String name = entry.substring(0, entry.length() - CLASS.length()).replace('/', '.');
    try {
      Class<?> type = Class.forName(name, true, LoadClasses.class.getClassLoader());
      Object[][] unused = {
        type.getDeclaredFields(), type.getDeclaredMethods(), type.getDeclaredConstructors()
      };
      return null;
    } catch (ClassNotFoundException | LinkageError e) {
      return e.toString();
    }
  }
}

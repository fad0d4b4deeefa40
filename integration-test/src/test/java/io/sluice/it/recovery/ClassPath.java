package io.sluice.it.recovery;

import java.io.File;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/** The class path of this test, for a separate process. */
final class ClassPath {
  private ClassPath() {}

  /** Class path of the JVM and of additional class loaders of the test launcher. */
  static String ofThisTest() throws URISyntaxException {
    Set<String> entries = new LinkedHashSet<>();
    ClassLoader loader = ClassPath.class.getClassLoader();
    while (loader != null) {
      if (loader instanceof URLClassLoader urls) {
        for (URL url : urls.getURLs()) {
          entries.add(Path.of(url.toURI()).toString());
        }
      }
      loader = loader.getParent();
    }
    entries.add(System.getProperty("java.class.path"));
    return String.join(File.pathSeparator, entries);
  }
}

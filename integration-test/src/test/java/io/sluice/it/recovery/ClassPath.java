package io.sluice.it.recovery;

import java.io.File;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/** The class path that this test runs on, for a process of its own. */
final class ClassPath {
  private ClassPath() {}

  /** The JVM's, and that of the loaders that a test launcher may have put on top. */
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

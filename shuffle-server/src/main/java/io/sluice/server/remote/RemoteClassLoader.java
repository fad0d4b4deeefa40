package io.sluice.server.remote;

import java.net.URL;
import java.net.URLClassLoader;

/**
 * Loads the classes of a remote file system from a separate class path, because Hadoop needs other
 * versions of libraries that the server uses too. Only the JDK, the {@code spi} package and SLF4J
 * are shared with the server.
 */
final class RemoteClassLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  private static final String INTERFACE = RemoteClassLoader.class.getPackageName() + ".spi.";
  private static final String LOG = "org.slf4j.";

  private final ClassLoader server;

  /**
   * @param server loads the {@code spi} package and SLF4J
   */
  RemoteClassLoader(URL[] classPath, ClassLoader server) {
    super("remote-storage", classPath, ClassLoader.getPlatformClassLoader());
    this.server = server;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    return name.startsWith(INTERFACE) || name.startsWith(LOG)
        ? server.loadClass(name)
        : super.loadClass(name, resolve);
  }
}

package io.sluice.server.remote;

import java.net.URL;
import java.net.URLClassLoader;

/**
 * Loads a remote file system's classes from its own class path, apart from the server's: Hadoop
 * brings its own versions of libraries that the server has too. Only the JDK, the interface between
 * the two and the log are shared.
 */
final class RemoteClassLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  private static final String INTERFACE = RemoteClassLoader.class.getPackageName() + ".spi.";
  private static final String LOG = "org.slf4j.";

  private final ClassLoader server;

  /**
   * @param server has the interface and the log
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

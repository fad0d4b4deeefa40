package io.sluice.server.remote;

import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteFileSystemProvider;
import io.sluice.server.remote.spi.RemoteSettings;
import java.io.IOException;
import java.net.URL;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Loads an implementation of the remote tier from a separate class path, and opens it. The class
 * loader is never closed, because Hadoop leaves threads and shutdown hooks. Thread-safe.
 */
public final class RemoteFileSystems {
  private final ClassLoader loader;
  private final String origin;

  /**
   * @param classPath the implementation and its dependencies
   * @param origin source of the class path, for messages
   */
  RemoteFileSystems(URL[] classPath, String origin) {
    this.loader = new RemoteClassLoader(classPath, RemoteFileSystems.class.getClassLoader());
    this.origin = origin;
  }

  /** Uses the class path of an environment. */
  public static RemoteFileSystems of(RemoteEnvironment environment) throws IOException {
    return new RemoteFileSystems(environment.classPath(), environment.describeClassPath());
  }

  /**
   * Opens a remote file system.
   *
   * @throws MissingClassesException if a class is missing; the message is one line
   * @throws IOException if the file system does not answer; the message is one line
   */
  public RemoteFileSystem open(RemoteSettings settings) throws IOException {
    ClassLoader outer = Thread.currentThread().getContextClassLoader();
    // Hadoop loads classes with the context class loader of the thread.
    Thread.currentThread().setContextClassLoader(loader);
    try {
      return new LoadedFileSystem(provider().open(settings), loader);
    } catch (LinkageError | ServiceConfigurationError e) {
      throw new MissingClassesException(
          "a class that the remote file system needs is missing from "
              + origin
              + ": "
              + OneLineMessage.of(e),
          e);
    } finally {
      Thread.currentThread().setContextClassLoader(outer);
    }
  }

  private RemoteFileSystemProvider provider() throws IOException {
    return ServiceLoader.load(RemoteFileSystemProvider.class, loader)
        .findFirst()
        .orElseThrow(
            () ->
                new MissingClassesException(
                    "no remote file system on the class path "
                        + origin
                        + "; set rss.server.hadoop.classpath to sluice-storage-hadoop and"
                        + " Hadoop's client jars",
                    null));
  }
}

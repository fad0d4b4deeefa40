package io.sluice.server.remote;

import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteFileSystemProvider;
import io.sluice.server.remote.spi.RemoteSettings;
import java.io.IOException;
import java.net.URL;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Finds an implementation of the remote tier on a class path of its own, and opens it. Its class
 * loader stays as long as the process: Hadoop leaves threads and shutdown hooks behind.
 * Thread-safe.
 */
public final class RemoteFileSystems {
  private final ClassLoader loader;
  private final String origin;

  /**
   * @param classPath where the implementation and what it needs lie
   * @param origin where that comes from, for messages
   */
  RemoteFileSystems(URL[] classPath, String origin) {
    this.loader = new RemoteClassLoader(classPath, RemoteFileSystems.class.getClassLoader());
    this.origin = origin;
  }

  /** Looks where an environment says. */
  public static RemoteFileSystems of(RemoteEnvironment environment) throws IOException {
    return new RemoteFileSystems(environment.classPath(), environment.describeClassPath());
  }

  /**
   * Opens a remote file system.
   *
   * @throws MissingClassesException what is missing, in one line
   * @throws IOException it does not answer, in one line
   */
  public RemoteFileSystem open(RemoteSettings settings) throws IOException {
    ClassLoader outer = Thread.currentThread().getContextClassLoader();
    // Hadoop looks for its parts where the thread says.
    Thread.currentThread().setContextClassLoader(loader);
    try {
      return new LoadedFileSystem(provider().open(settings), loader);
    } catch (LinkageError | ServiceConfigurationError e) {
      throw new MissingClassesException(
          "a class that the remote file system needs is missing from "
              + origin
              + ": "
              + OneLine.of(e),
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
                        + "; give rss.server.hadoop.classpath with sluice-storage-hadoop and"
                        + " Hadoop's client jars",
                    null));
  }
}

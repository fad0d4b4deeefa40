package io.sluice.server.remote;

import io.sluice.server.remote.spi.RemoteEntry;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteInput;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSpace;
import java.io.IOException;
import java.util.List;

/**
 * A file system from a class loader of its own. Calls run with that loader as their thread's, and
 * what goes wrong inside, be it a missing class, comes out as an IOException of one line.
 * Thread-safe.
 */
final class LoadedFileSystem implements RemoteFileSystem {
  private final RemoteFileSystem files;
  private final ClassLoader loader;

  /**
   * @param files takes
   */
  LoadedFileSystem(RemoteFileSystem files, ClassLoader loader) {
    this.files = files;
    this.loader = loader;
  }

  @Override
  public String base() {
    return files.base();
  }

  @Override
  public RemoteOutput create(String path) throws IOException {
    return call(() -> files.create(path));
  }

  @Override
  public RemoteInput open(String path) throws IOException {
    return call(() -> files.open(path));
  }

  @Override
  public void delete(String path) throws IOException {
    call(
        () -> {
          files.delete(path);
          return null;
        });
  }

  @Override
  public void deleteEmptyDirectory(String path) throws IOException {
    call(
        () -> {
          files.deleteEmptyDirectory(path);
          return null;
        });
  }

  @Override
  public List<RemoteEntry> list(String path) throws IOException {
    return call(() -> files.list(path));
  }

  @Override
  public RemoteSpace space() throws IOException {
    return call(files::space);
  }

  @Override
  public void close() throws IOException {
    call(
        () -> {
          files.close();
          return null;
        });
  }

  private interface Call<T> {
    T run() throws IOException;
  }

  private <T> T call(Call<T> call) throws IOException {
    Thread thread = Thread.currentThread();
    ClassLoader outer = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      return call.run();
    } catch (LinkageError | RuntimeException e) {
      throw new IOException(files.base() + ": " + OneLine.of(e), e);
    } finally {
      thread.setContextClassLoader(outer);
    }
  }
}

package io.sluice.server.remote;

import io.sluice.server.remote.spi.RemoteEntry;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteInput;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSpace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A file system from a separate class loader. Calls run with that loader as the thread's context
 * class loader. Any failure, even a missing class, is thrown as an IOException with a one-line
 * message. Thread-safe.
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
    return new LoadedOutput(call(() -> files.create(path)));
  }

  @Override
  public RemoteInput open(String path) throws IOException {
    return new LoadedInput(call(() -> files.open(path)));
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
      throw new IOException(files.base() + ": " + OneLineMessage.of(e), e);
    } finally {
      thread.setContextClassLoader(outer);
    }
  }

  /** A file to read, with class loader and exceptions as {@link LoadedFileSystem}. */
  private final class LoadedInput implements RemoteInput {
    private final RemoteInput input;

    LoadedInput(RemoteInput input) {
      this.input = input;
    }

    @Override
    public long length() {
      return input.length();
    }

    @Override
    public int read(long position, ByteBuffer target) throws IOException {
      return call(() -> input.read(position, target));
    }

    @Override
    public void close() throws IOException {
      call(
          () -> {
            input.close();
            return null;
          });
    }
  }

  /** A file to write, with class loader and exceptions as {@link LoadedFileSystem}. */
  private final class LoadedOutput implements RemoteOutput {
    private final RemoteOutput output;

    LoadedOutput(RemoteOutput output) {
      this.output = output;
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
      call(
          () -> {
            output.write(source);
            return null;
          });
    }

    @Override
    public void complete() throws IOException {
      call(
          () -> {
            output.complete();
            return null;
          });
    }

    @Override
    public void close() throws IOException {
      call(
          () -> {
            output.close();
            return null;
          });
    }
  }
}

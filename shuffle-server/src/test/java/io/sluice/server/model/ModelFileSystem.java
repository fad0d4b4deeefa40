package io.sluice.server.model;

import io.sluice.server.remote.spi.RemoteEntry;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteInput;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSpace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/**
 * A shared file system as one process of a simulated server sees it: calls can take time, and fail
 * once the process has ended.
 */
final class ModelFileSystem implements RemoteFileSystem {
  private final RemoteFileSystem shared;
  private final Runnable beforeCall;
  private final Consumer<String> beforeDelete;
  private boolean ended;

  /**
   * @param shared borrows
   * @param beforeCall may wait
   * @param beforeDelete called with the path of each file to delete; does not wait
   */
  ModelFileSystem(RemoteFileSystem shared, Runnable beforeCall, Consumer<String> beforeDelete) {
    this.shared = shared;
    this.beforeCall = beforeCall;
    this.beforeDelete = beforeDelete;
  }

  /** The process has ended. */
  void end() {
    ended = true;
  }

  private void call() throws IOException {
    beforeCall.run();
    if (ended) {
      throw new IOException("the process has ended");
    }
  }

  @Override
  public String base() {
    return shared.base();
  }

  @Override
  public RemoteOutput create(String path) throws IOException {
    call();
    RemoteOutput output = shared.create(path);
    return new RemoteOutput() {
      @Override
      public void write(ByteBuffer source) throws IOException {
        call();
        output.write(source);
      }

      @Override
      public void complete() throws IOException {
        call();
        output.complete();
      }

      @Override
      public void close() throws IOException {
        output.close();
      }
    };
  }

  @Override
  public RemoteInput open(String path) throws IOException {
    call();
    RemoteInput input = shared.open(path);
    return new RemoteInput() {
      @Override
      public long length() {
        return input.length();
      }

      @Override
      public int read(long position, ByteBuffer target) throws IOException {
        call();
        return input.read(position, target);
      }

      @Override
      public void close() throws IOException {
        input.close();
      }
    };
  }

  @Override
  public void delete(String path) throws IOException {
    beforeDelete.accept(path);
    call();
    shared.delete(path);
  }

  @Override
  public void deleteEmptyDirectory(String path) throws IOException {
    call();
    shared.deleteEmptyDirectory(path);
  }

  @Override
  public List<RemoteEntry> list(String path) throws IOException {
    call();
    return shared.list(path);
  }

  @Override
  public RemoteSpace space() throws IOException {
    call();
    return shared.space();
  }

  /** The file system stays open for other processes. */
  @Override
  public void close() {}
}

package io.sluice.client.file;

import io.sluice.proto.RunFileKind;
import java.util.concurrent.CompletableFuture;

/** Opens run files of one kind. Thread-safe. */
public interface RunFileOpener extends AutoCloseable {
  RunFileKind kind();

  /**
   * Whether files of a server can probably be opened; the server is then asked for their locations.
   * Never blocks.
   */
  boolean mayOpen(RunFileSource source);

  /**
   * Opens a file, within a bounded time.
   *
   * @param name name of the file, from the server
   * @return owned by the caller; after any failure, the bytes must be fetched from the server
   */
  CompletableFuture<RunFileInput> open(RunFileSource source, String name);

  @Override
  void close();
}

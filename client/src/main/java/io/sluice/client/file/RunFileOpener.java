package io.sluice.client.file;

import io.sluice.proto.RunFileKind;
import java.util.concurrent.CompletableFuture;

/** Opens run files of one kind. Thread-safe. */
public interface RunFileOpener extends AutoCloseable {
  RunFileKind kind();

  /** Whether it is worth asking a server where its files are. Quick. */
  boolean mayOpen(RunFileSource source);

  /**
   * Opens a file, within a bounded time.
   *
   * @param name as the server named it
   * @return owned by who takes it; any failure means that the file is to be read otherwise
   */
  CompletableFuture<RunFileInput> open(RunFileSource source, String name);

  @Override
  void close();
}

package io.sluice.server.remote.spi;

import java.io.IOException;
import java.util.List;

/**
 * Files below one base path, written once sequentially, then read at any position. Paths are
 * relative to the base, separated by {@code /}; directories are created with their files. Files are
 * never renamed, appended to or changed, so an object store is sufficient. If the file system has
 * permissions, files and directories are accessible to their owner and the group of {@link
 * RemoteSettings} only. Thread-safe.
 *
 * <p>Exceptions have one-line messages that name the path.
 */
public interface RemoteFileSystem extends AutoCloseable {
  /** The base path as a URI that clients can open, without a slash at the end. */
  String base();

  /**
   * Begins a new file. Replaces a file of that path, also one whose writer has failed: an outage
   * can keep a failed writer from deleting its file.
   */
  RemoteOutput create(String path) throws IOException;

  /**
   * Opens a complete file.
   *
   * @throws java.nio.file.NoSuchFileException if the file does not exist
   */
  RemoteInput open(String path) throws IOException;

  /** Deletes a file; does nothing if it does not exist. */
  void delete(String path) throws IOException;

  /** Deletes a directory if it is empty; never deletes its parents. */
  void deleteEmptyDirectory(String path) throws IOException;

  /**
   * The entries of a directory; empty if the directory does not exist.
   *
   * @param path empty for the base
   */
  List<RemoteEntry> list(String path) throws IOException;

  /** Capacity and free space of the file system, as far as known. */
  RemoteSpace space() throws IOException;

  /** Idempotent. */
  @Override
  void close() throws IOException;
}

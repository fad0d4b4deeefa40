package io.sluice.server.remote.spi;

import java.io.IOException;
import java.util.List;

/**
 * Files below one base path, written once from front to back, then read at any position. Paths are
 * relative to the base, their parts separated by {@code /}; directories come with their files. No
 * file is renamed, appended to or changed: an object store is as good as a file system. Where the
 * file system has access rights, files and directories are for their owner only, and for the group
 * of {@link RemoteSettings}. Thread-safe.
 *
 * <p>Exceptions have messages of one line that name the path.
 */
public interface RemoteFileSystem extends AutoCloseable {
  /** The base path as others can open it, with its scheme and without a slash at its end. */
  String base();

  /**
   * Begins a new file.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is one
   */
  RemoteOutput create(String path) throws IOException;

  /**
   * Opens a file that is complete.
   *
   * @throws java.nio.file.NoSuchFileException if there is none
   */
  RemoteInput open(String path) throws IOException;

  /** Deletes a file; one that is not there is none to delete. */
  void delete(String path) throws IOException;

  /** Deletes a directory if nothing is in it; never more than that directory. */
  void deleteEmptyDirectory(String path) throws IOException;

  /**
   * What lies directly in a directory; nothing if there is no such directory.
   *
   * @param path empty for the base
   */
  List<RemoteEntry> list(String path) throws IOException;

  /** How much the file system holds and can still take, as far as it says. */
  RemoteSpace space() throws IOException;

  /** Idempotent. */
  @Override
  void close() throws IOException;
}

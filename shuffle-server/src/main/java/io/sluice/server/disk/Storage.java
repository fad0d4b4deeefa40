package io.sluice.server.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Optional;

/**
 * A flat directory of files that belongs to one server. A file becomes visible when it is
 * committed. Thread-safe.
 */
public interface Storage extends AutoCloseable {
  /** Location, for messages. */
  String name();

  StorageKind kind();

  /** Maximum bytes that may be stored. */
  long capacityBytes() throws IOException;

  /** Bytes that can still be stored. */
  long freeBytes() throws IOException;

  /**
   * Minimum length of files to move here first; smaller ones are moved only if there are no others.
   */
  default long preferredMinBytes() {
    return 0;
  }

  /**
   * Names of the directories whose runs this server serves, if it shares the storage; else empty.
   */
  default List<String> directories() {
    return List.of();
  }

  /**
   * Names of directories without files: those that this server serves, and those of other servers
   * that it served.
   */
  default List<String> emptyDirectories() {
    return List.of();
  }

  /** Begins a new file. */
  NewFile create(String file) throws IOException;

  /**
   * Begins a new file with data of an application, which the storage may put in a directory per
   * application. The file is opened by its name alone.
   */
  default NewFile create(String file, String application) throws IOException {
    return create(file);
  }

  /** Opens a committed file for positioned reads. The caller closes the channel. */
  FileChannel open(String file) throws IOException;

  /**
   * Opens a committed run file to read its header and footer, by one thread. The caller closes the
   * channel.
   */
  default FileChannel openFooter(String file) throws IOException {
    return open(file);
  }

  /**
   * Path at which clients can read a committed file directly; empty if they cannot. Does not wait.
   */
  default Optional<String> location(String file) {
    return Optional.empty();
  }

  /** Path of a file, for messages. */
  default String pathOf(String file) {
    return name() + "/" + file;
  }

  /**
   * Deletes a committed file; does nothing if it does not exist. The file must have no readers in
   * this process: a local file is truncated, so that open descriptors of clients occupy no space.
   */
  void delete(String file) throws IOException;

  /** Committed files and their lengths in bytes, in no order. */
  List<Entry> list() throws IOException;

  /**
   * Checks that the directory exists and is the one that was opened: after an unmount, another
   * directory may be visible at its path.
   */
  default void checkPresent() throws IOException {
    list();
  }

  /** Opens the directory again after it was absent. The caller deletes its contents. */
  default void renew() throws IOException {
    checkPresent();
  }

  /** Makes all committed files survive a crash of the machine, unless commits already do. */
  default void sync() throws IOException {}

  @Override
  void close() throws IOException;

  /** A committed file. */
  record Entry(String file, long length) {}

  /** A file that is being written, by one thread. */
  interface NewFile extends AutoCloseable {
    /** The channel to write to; closed by this object. */
    FileChannel channel();

    /** Makes the file visible under its name. No writes are permitted afterwards. */
    void commit() throws IOException;

    /** Closes the file, and deletes it if it was not committed. Idempotent. */
    @Override
    void close() throws IOException;
  }
}

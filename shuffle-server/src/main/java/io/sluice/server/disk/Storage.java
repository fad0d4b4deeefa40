package io.sluice.server.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Optional;

/**
 * A flat directory of files that belongs to one server. A file is there once it was committed;
 * until then nobody but its writer sees it. Thread-safe.
 */
public interface Storage extends AutoCloseable {
  /** Where it is, for messages. */
  String name();

  StorageKind kind();

  /** Most bytes that may be stored. */
  long capacityBytes() throws IOException;

  /** Bytes that can still be stored. */
  long freeBytes() throws IOException;

  /** Length from which a file is worth having here, as long as there are others to choose from. */
  default long worthwhileBytes() {
    return 0;
  }

  /** Begins a new file. */
  NewFile create(String file) throws IOException;

  /**
   * Begins a new file that holds an application's data: a storage that others look at too may keep
   * applications apart. The file is found under its own name.
   */
  default NewFile create(String file, String application) throws IOException {
    return create(file);
  }

  /** Opens a committed file for positioned reads. The caller closes the channel. */
  FileChannel open(String file) throws IOException;

  /** Where a committed file can be read without this server; empty: nowhere. Does not wait. */
  default Optional<String> location(String file) {
    return Optional.empty();
  }

  /** What a person calls a file, for messages. */
  default String pathOf(String file) {
    return name() + "/" + file;
  }

  /** Deletes a committed file; one that is not there is none to delete. */
  void delete(String file) throws IOException;

  /** Committed files and their lengths in bytes, in no order. */
  List<Entry> list() throws IOException;

  /**
   * Makes sure that the directory is there, and the same that was opened: under a disk that was
   * unmounted, another one may come to light.
   */
  default void checkPresent() throws IOException {
    list();
  }

  /**
   * Takes the directory again after it was gone, as far as it is back. What is in it is to be
   * deleted.
   */
  default void renew() throws IOException {
    checkPresent();
  }

  /**
   * Makes what was committed so far outlive a crash of the machine, unless committing already did.
   */
  default void sync() throws IOException {}

  @Override
  void close() throws IOException;

  /** A committed file. */
  record Entry(String file, long length) {}

  /** A file that is being written, by one thread. */
  interface NewFile extends AutoCloseable {
    /** Where to write; belongs to this object. */
    FileChannel channel();

    /** Makes the file visible under its name. Nothing may be written afterwards. */
    void commit() throws IOException;

    /** Ends the writing; a file that was not committed is deleted. Idempotent. */
    @Override
    void close() throws IOException;
  }
}

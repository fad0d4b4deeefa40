package io.sluice.server.catalog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

/**
 * Loads RocksDB's native library without leaving its 16 MB behind.
 *
 * <p>Left to itself RocksDB unpacks a file that is deleted when the JVM exits. A process that is
 * killed never gets there, nor does one that ends from a shutdown hook. On Linux a library that is
 * loaded needs its file no more.
 */
final class RocksLibrary {
  private RocksLibrary() {}

  /** Does nothing when the library is loaded. */
  static void load() throws IOException {
    Path directory = Files.createTempDirectory("sluice-rocksdb");
    try {
      NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
    } finally {
      Files.deleteIfExists(directory.resolve(Environment.getJniLibraryFileName("rocksdb")));
      Files.deleteIfExists(directory);
    }
    RocksDB.loadLibrary();
  }
}

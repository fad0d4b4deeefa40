package io.sluice.server.catalog;

import io.sluice.common.file.UnpackedLibrary;
import java.io.IOException;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

/** Loads RocksDB's native library without leaving its 16 MB temporary file behind. */
final class RocksLibrary {
  private RocksLibrary() {}

  /** Does nothing if the library is already loaded. */
  static void load() throws IOException {
    UnpackedLibrary.load(
        Environment.getJniLibraryFileName("rocksdb"),
        directory -> NativeLibraryLoader.getInstance().loadLibrary(directory));
    RocksDB.loadLibrary();
  }
}

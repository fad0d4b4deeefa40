package io.sluice.storage.hadoop;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Deletes objects with an interface of Hadoop 3.4.1. Unlike {@link FileSystem#delete}, it does not
 * look whether a directory became empty, and writes no object for it: with S3A that is two requests
 * to list objects and one PUT for each level of directories. Used only if the file system has the
 * capability, because earlier versions of Hadoop lack the classes.
 */
final class ObjectDeletion {
  private ObjectDeletion() {}

  /** Deletes a file below the base; does nothing if it does not exist. */
  static void delete(FileSystem fileSystem, Path base, Path file) throws IOException {
    try (BulkDelete deletion = fileSystem.createBulkDelete(base)) {
      for (Map.Entry<Path, String> failed : deletion.bulkDelete(List.of(file))) {
        throw new IOException(failed.getValue());
      }
    }
  }
}

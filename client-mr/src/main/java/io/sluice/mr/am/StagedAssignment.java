package io.sluice.mr.am;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The job's assignment in its staging directory, where an application master that is started again
 * finds it: what the maps of the one before have pushed is where that assignment says.
 */
final class StagedAssignment {
  private final FileSystem files;
  private final Path file;

  /**
   * @param files of the staging directory
   * @param directory the job's own
   */
  StagedAssignment(FileSystem files, Path directory) {
    this.files = files;
    this.file = new Path(directory, "sluice.assignment");
  }

  /** What an application master before this one has left. */
  Optional<ShuffleAssignment> read() throws IOException {
    try (FSDataInputStream in = files.open(file)) {
      return Optional.of(ShuffleAssignment.fromBytes(in.readAllBytes()));
    } catch (FileNotFoundException first) {
      return Optional.empty();
    }
  }

  /** Leaves it, whole or not at all. */
  void write(ShuffleAssignment assignment) throws IOException {
    Path partial = file.suffix(".partial");
    try (FSDataOutputStream out = files.create(partial, true)) {
      out.write(assignment.toBytes());
    }
    // A later generation takes the place of the one before: without either, the job starts over.
    files.delete(file, false);
    if (!files.rename(partial, file)) {
      throw new IOException("cannot be renamed to " + file);
    }
  }
}

package io.sluice.mr.am;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;

/**
 * The job's assignment in its staging directory. A restarted application master reads it to find
 * the output that maps pushed before the restart.
 */
final class StagedAssignment {
  private final FileContext files;
  private final Path file;

  /**
   * @param directory staging directory of the job
   */
  StagedAssignment(Configuration conf, Path directory) throws IOException {
    this.files = FileContext.getFileContext(directory.toUri(), conf);
    this.file = new Path(directory, "sluice.assignment");
  }

  /** Reads the assignment that an earlier application master wrote; empty if there is none. */
  Optional<ShuffleAssignment> read() throws IOException {
    try (FSDataInputStream in = files.open(file)) {
      return Optional.of(ShuffleAssignment.fromBytes(in.readAllBytes()));
    } catch (FileNotFoundException first) {
      return Optional.empty();
    }
  }

  /** Replaces the assignment atomically. */
  void write(ShuffleAssignment assignment) throws IOException {
    Path partial = file.suffix(".partial");
    try (FSDataOutputStream out =
        files.create(partial, EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE))) {
      out.write(assignment.toBytes());
    }
    files.rename(partial, file, Options.Rename.OVERWRITE);
  }
}

package io.sluice.storage.hadoop;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * A Hadoop file system that behaves like an object store's connector: no rename and append, files
 * appear only when their stream is closed, and uploads can be aborted.
 */
public final class ObjectStore extends RawLocalFileSystem {
  /** Configuration key: fails every close of a written file. */
  static final String FAIL_CLOSE = "test.objects.fail.close";

  @Override
  public URI getUri() {
    return URI.create("objects:///");
  }

  @Override
  public String getScheme() {
    return "objects";
  }

  @Override
  public boolean rename(Path from, Path to) {
    throw new AssertionError("rename " + from + " to " + to);
  }

  /** There are no access rights, and directories exist only with files in them. */
  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    return !capability.equals(CommonPathCapabilities.FS_PERMISSIONS)
        && super.hasPathCapability(path, capability);
  }

  @Override
  public boolean mkdirs(Path directory, FsPermission permission) {
    throw new AssertionError("make directory " + directory);
  }

  @Override
  public void setOwner(Path path, String user, String group) {
    throw new AssertionError("set owner of " + path);
  }

  @Override
  public FSDataOutputStream append(Path file, int bufferSize, Progressable progress) {
    throw new AssertionError("append to " + file);
  }

  @Override
  public FSDataOutputStream create(
      Path file,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return create(file, overwrite);
  }

  @Override
  public FSDataOutputStream create(
      Path file,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return create(file, overwrite);
  }

  @Override
  public FSDataOutputStream create(Path file, boolean overwrite, int bufferSize)
      throws IOException {
    return create(file, overwrite);
  }

  @Override
  public FSDataOutputStream create(Path file, boolean overwrite) throws IOException {
    if (!overwrite && exists(file)) {
      throw new org.apache.hadoop.fs.FileAlreadyExistsException(file.toString());
    }
    return new FSDataOutputStream(new Upload(file, getConf()), null);
  }

  @Override
  protected boolean mkOneDir(java.io.File directory) {
    return directory.mkdir();
  }

  private OutputStream store(Path file) throws IOException {
    return super.create(file, null, true, 4096, (short) 1, 1 << 20, null);
  }

  private final class Upload extends ByteArrayOutputStream
      implements StreamCapabilities, Abortable {
    private final Path file;
    private final boolean failClose;
    private boolean ended;

    Upload(Path file, Configuration configuration) {
      this.file = file;
      this.failClose = configuration.getBoolean(FAIL_CLOSE, false);
    }

    @Override
    public void close() throws IOException {
      if (!ended) {
        ended = true;
        if (failClose) {
          throw new IOException("the upload was refused\n\tat some.remote.Server");
        }
        try (OutputStream stored = store(file)) {
          writeTo(stored);
        }
      }
    }

    @Override
    public AbortableResult abort() {
      boolean already = ended;
      ended = true;
      return new AbortableResult() {
        @Override
        public boolean alreadyClosed() {
          return already;
        }

        @Override
        public IOException anyCleanupException() {
          return null;
        }
      };
    }

    @Override
    public boolean hasCapability(String capability) {
      return StreamCapabilities.ABORTABLE_STREAM.equals(capability);
    }
  }
}
